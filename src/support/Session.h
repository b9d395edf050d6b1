// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

namespace heddle {

/// Kills a process that leads a session, and everything in that session, whatever group it is in.
void killSession(pid_t leader);

} // namespace heddle
