// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// `regroup by=EXPRESSION|branch|profile [via=redirect|layout]`: threads that do like work come into one
/// warp.
///
///     __global__ void k(int *a) {         struct KWays : heddle::Ways<128> { ... key ... };
///                                         __global__ void k(heddle::Regrouped<KWays> regrouped, int *a) {
///                                           const heddle::Item item = regrouped.item();
///                                      =>   const uint3 threadIdx = item.threadIdx;
///       a[threadIdx.x] = 1;                 a[threadIdx.x] = 1;
///     }                                   }
///     k<<<grid, 128>>>(a);                heddle::regroup(k, grid, 128)(a);
///
/// A key is found for each thread before the kernel runs, and threads are sorted by it; each then does the
/// work of another one, whose results land where they did. `by=branch`: queues by what a switch or an if
/// decides, no warp serves two. `by=profile`: a launch counts the work of each thread. `via=layout`: arrays
/// with an element for each thread are copied in the order of threads before, and back after.
///
/// runtime/heddle/regroup.cuh sorts, keeps orders, and turns itself off where it does not pay. Refuses
/// kernels whose threads have to do with each other (RegroupCheck), and keys that are not known at the
/// kernel's start (RegroupKey).
PassResult regroupThreads(Context &context);

} // namespace heddle::transform
