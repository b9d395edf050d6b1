// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Static.h"

#include <vector>

namespace heddle::check {

/// Fills in the source lines that the finder did not have, from the files themselves. InstructionTable whose file does
/// not exist are left as they are.
void addSourceLines(std::vector<Finding> &findings);

/// The same for findings and for the reasons why something is undecided.
void addSourceLines(StaticResult &result);

} // namespace heddle::check
