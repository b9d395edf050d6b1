// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"
#include "transform/consolidate/WarpBlock.h"

namespace heddle::transform {

/// Launches with one warp in the place of each block. What the kernel must get is put in front of its
/// arguments, and of its parameters in every declaration. False, with a refusal, where a launch cannot be
/// changed so.
bool launchOneWarp(Context &context, const BlockKnowledge &known, const WarpBlock &warp, unsigned &launches);

/// Launches with more blocks of `lanes` threads.
bool launchMoreBlocks(Context &context, const BlockKnowledge &known, const std::array<unsigned, 3> &lanes,
                      unsigned &launches);

/// `__launch_bounds__` speaks of the block before.
void boundByOneWarp(Context &context);

} // namespace heddle::transform
