// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that do like work, side by side: a launch in which every thread does the work of another one, in an
// order that puts those with equal keys into one warp and the longest first.
//
//     struct ScaleWays : heddle::Ways<128> {              128 threads per block
//       static __device__ unsigned key(float *a, const int *steps, int n) {
//         const int i = blockIdx.x * blockDim.x + threadIdx.x;
//         if (i >= n)                                     what is known before the kernel runs
//           return heddle::noWork;
//         return heddle::keyOf(steps[i]);
//       }
//     };
//     __global__ void scale(heddle::Regrouped<ScaleWays> regrouped, float *a, const int *steps, int n) {
//       const heddle::Item item = regrouped.item();
//       const uint3 threadIdx = item.threadIdx;           from here on it is that thread
//       const uint3 blockIdx = item.blockIdx;
//       ...
//     }
//     heddle::regroup(scale, grid, 128, 0, stream)(a, steps, n);    instead of scale<<<...>>>(a, steps, n)
//
// An order of threads never changes what is computed, so it may be out of date: it is kept for a launch with
// the same arguments, keys are looked at again now and then without waiting for the answer, and what was
// found is heeded by a later launch. In the environment:
//
//     HEDDLE_REGROUP=measure      the default: the first launches try both orders and keep the better one,
//                                 counting what keys, sorting and copies cost
//     HEDDLE_REGROUP=on, off      always, never; nothing is timed
//     HEDDLE_REGROUP_LOG=FILE     a line of JSON for each decision
//     HEDDLE_REGROUP_ORDER=FILE   instead of keys, an order that was computed elsewhere: for each place of the
//                                 launch the number of a thread, from 0; for launches of as many threads
//     HEDDLE_REGROUP_ROUNDS=N     times that each order is tried (1); the median counts
//     HEDDLE_SORT=cub, own, cpu   who sorts
//
// -DHEDDLE_REGROUP_DEFAULT=\"on\" is for where there is no environment.
#ifndef HEDDLE_REGROUP_CUH
#define HEDDLE_REGROUP_CUH

#include <heddle/regrouping/launch.cuh>

namespace heddle {

/// Instead of `kernel<<<grid, block, sharedBytes, stream>>>`; the arguments follow in parentheses.
template <class Way, class... Parameters>
regrouping::Launch<Way, Parameters...> regroup(void (*kernel)(Regrouped<Way>, Parameters...), dim3 grid,
                                               dim3 block, std::size_t sharedBytes = 0,
                                               cudaStream_t stream = nullptr) {
  return {kernel, nullptr, grid, block, sharedBytes, stream};
}

/// The same with a kernel that does the same work and counts it: there are no keys before.
template <class Way, class... Parameters>
regrouping::Launch<Way, Parameters...> regroup(void (*kernel)(Regrouped<Way>, Parameters...),
                                               void (*counted)(Counted, Parameters...), dim3 grid, dim3 block,
                                               std::size_t sharedBytes = 0, cudaStream_t stream = nullptr) {
  return {kernel, counted, grid, block, sharedBytes, stream};
}

} // namespace heddle

#endif // HEDDLE_REGROUP_CUH
