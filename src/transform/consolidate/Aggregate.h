// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// First stage of `consolidate`: one warp does a block's work.
///
///     __shared__ float s[64];                 __shared__ float s[64];
///     s[threadIdx.x] = a[threadIdx.x];   =>   for (unsigned kx = 0; kx < 2; ++kx) {
///     __syncthreads();                          const unsigned threadX = threadIdx.x + kx * 32;
///     ...                                       s[threadX] = a[threadX];
///                                             }
///                                             __syncthreads();      (waitForWarp comes behind)
///     k<<<g, 64>>>(a);                        k<<<g, 64 / 2>>>(a);
///
/// Where threads exchange nothing and only ask for their place in the grid, blocks become smaller and
/// the grid larger instead. Leaves a kernel whose blocks are launched with 32 threads and that does not ask
/// for blockDim; the result says their shape.
///
/// Refuses what `coarsen` refuses, barriers of more than a block, loops that wait for other threads, and warp
/// functions where a warp is not whole or lanes may have returned.
PassResult aggregateBlock(Context &context);

} // namespace heddle::transform
