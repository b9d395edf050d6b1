// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest value of each piece, in blocks as large as an argument says, a multiple of 32 or not.
//
// For consolidation: how many threads a lane represents is only known at the launch: a loop with a bound at
// compile time (the array's 1024) where other programs have copies. The tree halves any number, rounding up,
// so that its distances are run-time values too: no registers.
#include "Harness.h"

constexpr int MostThreads = 1024;

__global__ void largest(int *results, const int *values, int count) {
  __shared__ int best[MostThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  best[threadIdx.x] = i < count ? values[i] : -1;
  __syncthreads();

  for (unsigned left = blockDim.x; left > 1;) {
    const unsigned half = (left + 1) / 2;
    if (threadIdx.x + half < left)
      best[threadIdx.x] = max(best[threadIdx.x], best[threadIdx.x + half]);
    __syncthreads();
    left = half;
  }
  if (threadIdx.x == 0)
    results[blockIdx.x] = best[0];
}

int main(int argc, char **argv) {
  const int count = argument(argc, argv, 1, 5000), threads = argument(argc, argv, 2, 200);
  if (threads > MostThreads)
    return std::fprintf(stderr, "at most %d threads a block\n", MostThreads), 2;
  const std::vector<int> values = integers(count, 32, 1 << 24);
  const int blocks = blocksFor(count, threads);

  int *deviceValues = toDevice(values), *results = zeros<int>(blocks);
  largest<<<blocks, threads>>>(results, deviceValues, count);
  const std::vector<int> got = toHost(results, blocks);

  const auto wanted = [&](size_t block) {
    int best = -1;
    for (size_t i = block * threads; i < values.size() && i < (block + 1) * threads; ++i)
      best = values[i] > best ? values[i] : best;
    return best;
  };
  return verdict("block_runtime", got, agree(got, wanted, 0));
}
