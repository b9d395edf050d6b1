// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// Part of the first stage of `consolidate`, for a kernel whose blocks are one warp: what waits for the block
/// waits for the warp.
///
///     __syncthreads();                  =>   __syncwarp();
///     n = __syncthreads_count(p);       =>   n = (__syncwarp(), __popc(__ballot_sync(0xffffffffu, p)));
///
/// Relied on: aggregateBlock left one warp, and calls of functions that hold barriers were put in their
/// place.
PassResult waitForWarp(Context &context);

} // namespace heddle::transform
