// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// Third stage of `consolidate`: persistent warps, each taking blocks of the original in turn.
///
///     __global__ void k(float *a) {         __device__ __forceinline__ void kTask(const heddle::Task &task,
///     float *a) {
///       a[blockIdx.x * 32 +                   const uint3 blockIdx = task.blockIdx;
///         threadIdx.x] = 1;                   a[blockIdx.x * 32 + threadIdx.x] = 1;
///     }                                 =>  }
///                                           __global__ void __launch_bounds__(128) k(heddle::Tasks<4> tasks,
///                                           float *a) {
///                                             for (const heddle::Task task : tasks) {
///                                               kTask(task, a);
///                                               __syncwarp();
///                                             }
///                                           }
///     k<<<n / 32, 32>>>(a);                 heddle::delegate(k, n / 32, 32)(a);
///
/// On entry a block is one warp and waits at nothing but barriers of its warp. Settings: `delegate=auto`
/// decides by the facts and keeps the kernel where it may not be done; `on` refuses then. `tasks=dynamic`
/// takes tasks from a counter; `throttle=N` limits the warps of a multiprocessor.
PassResult delegateBlocks(Context &context);

} // namespace heddle::transform
