// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"
#include "transform/work/ItemIndices.h"

#include <cstdint>

namespace heddle::transform {

constexpr unsigned lanesOfWarp = 32;

/// What is known of the blocks that a kernel is launched with, over all its instantiations and launches.
struct BlockKnowledge {
  std::optional<std::array<int64_t, 3>> block; ///< where it is the same everywhere
  bool differs = false;                        ///< two launches have different ones
  bool isRow = false;                          ///< one thread in y and z, whatever it is in x
  int64_t mostThreads = 0;                     ///< no launch has more
};
BlockKnowledge blockKnowledge(Context &context);

/// How 32 lanes take the place of a block.
struct WarpBlock {
  std::vector<Axis>
      axes; ///< along which threads are merged, outermost work loop first; none for up to a warp
  BlockForm form;
};

/// The first 32 threads of a block as a shape of its own, where blocks consist of such: (16, 2, 1) for 16x16,
/// nothing for 12x10.
std::optional<std::array<unsigned, 3>> evenLanes(const std::array<int64_t, 3> &block);

/// Blocks that consist of warps of one shape are merged along their axes; all others in a row, with the positions after the last thread left
/// empty. What only a launch knows becomes a parameter of the kernel.
WarpBlock warpBlock(const BlockKnowledge &known, Names &names);

} // namespace heddle::transform
