// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/walk/LoopChanges.h"
#include "analysis/walk/Path.h"

namespace heddle::analysis::walk {

/// Follows a loop after its initialization: the body once, for an iteration in the middle. Returns whether
/// control can go on after the loop.
bool followLoop(const LoopParts &parts, Path &path);

} // namespace heddle::analysis::walk
