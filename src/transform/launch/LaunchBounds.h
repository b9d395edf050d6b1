// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// `launch-bounds [threads=N] [blocks=N]`: states how large the kernel's blocks are, and how many of them a
/// multiprocessor should hold.
///
///     __global__ void k(float *a)   =>   __global__ void __launch_bounds__(256, 4) k(float *a)
///
/// Without a bound the compiler must allow for blocks of the largest size that there is, and limits registers to what such
/// a block may have. `threads` is the largest block of the launches where it is not given; `blocks` asks for an occupancy, which
/// the compiler pays for with fewer registers per thread.
///
/// Refuses: a block that is not known, a bound below a block that is launched, more blocks than a multiprocessor holds.
PassResult annotateLaunchBounds(Context &context);

} // namespace heddle::transform
