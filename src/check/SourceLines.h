// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Static.h"

#include <vector>

namespace heddle::check {

/// Fills in the source lines that the finder did not have, from the files themselves, and points to the expressions in them
/// (ExpressionColumns.h). Locations whose file does not exist are left unchanged.
void addSourceLines(std::vector<Finding> &findings);

/// The same for findings and for the reasons why something is undecided.
void addSourceLines(StaticResult &result);

} // namespace heddle::check
