// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/specialize/CopyForm.h"

#include <cstdint>

namespace heddle::transform {

/// What a thread of the original block does in an iteration, in numbers, where trip counts of loops are known.
struct IterationWork {
  double loads = 0; ///< elements that it brings to tiles
  double steps = 0; ///< iterations that it takes for that, also those in which it has nothing to load
  double reads = 0; ///< of elements of tiles
};

/// Of the tile loop with the fewest loads. Loops whose length is not known are taken to be short.
IterationWork workPerIteration(const RoleView &view, const RoleSplit &split,
                               const std::vector<CopyForm> &copies, const std::array<int64_t, 3> &block);

} // namespace heddle::transform
