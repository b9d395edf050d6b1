// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/Build.h"

namespace heddle::build {

/// A build failed: where the compiler's or the linker's words mean that the program wants something the
/// simulator does not have, says what it is and what to do.
void explainFailure(const std::string &messages, Diagnostics &diagnostics);

} // namespace heddle::build
