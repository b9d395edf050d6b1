// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Reporter.h"

namespace heddle::check {

/// Reports accesses through the name of a shared array that are outside of it, though inside of shared memory.
void checkArrayBounds(const Where &at, const vm::AccessEvent &event, Reporter &reporter);

} // namespace heddle::check
