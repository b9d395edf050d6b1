// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

#include <array>

namespace heddle::transform {

/// By how much the blocks and the grid of a kernel's launches shrink.
struct LaunchDivision {
  std::array<unsigned, 3> block = {1, 1, 1};
  unsigned grid = 1; ///< along x
};

/// Rewrites every launch of the target in the file. A shape that is known is divided on the spot; one known
/// only at run time by a helper of runtime/heddle/launch.cuh, which also checks that it divides. False, with
/// a refusal, where a launch's shape does not divide, cannot be reached, or may happen elsewhere. `launches`
/// gets their number.
bool divideLaunches(Context &context, const LaunchDivision &division, unsigned &launches);

} // namespace heddle::transform
