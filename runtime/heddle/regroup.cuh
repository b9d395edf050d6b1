// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads with similar work are grouped into the same warp: a launch in which every thread does the work of another one,
// in an order in which threads with equal keys are adjacent and those with most work are first.
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
//       const uint3 threadIdx = item.threadIdx;           from here on the index is that of the other thread
//       const uint3 blockIdx = item.blockIdx;
//       ...
//     }
//     heddle::regroup(scale, grid, 128, 0, stream)(a, steps, n);    instead of scale<<<...>>>(a, steps, n)
//
// An order of threads does not change the results, so it may be outdated: it is reused for launches with the same
// arguments; from time to time keys are computed again, asynchronously, and a later launch uses the new order.
// Environment variables:
//
//     HEDDLE_REGROUP=measure      the default: the first launches measure both orders and select the faster one,
//                                 including the cost of keys, sorting and copies
//     HEDDLE_REGROUP=on, off      always, never; nothing is timed
//     HEDDLE_REGROUP_LOG=FILE     a line of JSON for each decision
//     HEDDLE_REGROUP_ORDER=FILE   instead of keys, an order that was computed elsewhere: for each position of the
//                                 launch the number of a thread, from 0; for launches with that number of threads
//     HEDDLE_REGROUP_ROUNDS=N     how often each order is measured (1); the median is used
//     HEDDLE_SORT=cub, own, cpu   which sort is used
//
// -DHEDDLE_REGROUP_DEFAULT=\"on\" replaces the variable if there is no environment.
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

/// The same with a second kernel that does the same work and counts it, if there are no keys beforehand.
template <class Way, class... Parameters>
regrouping::Launch<Way, Parameters...> regroup(void (*kernel)(Regrouped<Way>, Parameters...),
                                               void (*counted)(Counted, Parameters...), dim3 grid, dim3 block,
                                               std::size_t sharedBytes = 0, cudaStream_t stream = nullptr) {
  return {kernel, counted, grid, block, sharedBytes, stream};
}

} // namespace heddle

#endif // HEDDLE_REGROUP_CUH
