// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histogram of 32-bit keys into 64 bins: keys come in tiles, the block counts in shared memory (that array is
// the consumers' own) and adds its counts to the result at the end.
#include "Harness.h"

constexpr int Threads = 128, Tile = 1024, Bins = 64;

__global__ void __launch_bounds__(Threads) histogram(unsigned *result, const unsigned *keys, int count) {
  __shared__ unsigned tile[Tile];
  __shared__ unsigned bins[Bins];
  if (threadIdx.x < Bins)
    bins[threadIdx.x] = 0;
  __syncthreads();

  for (int start = blockIdx.x * Tile; start < count; start += gridDim.x * Tile) {
    for (int i = threadIdx.x; i < Tile; i += Threads)
      if (start + i < count)
        tile[i] = keys[start + i];
    __syncthreads();
    for (int i = threadIdx.x; i < Tile && start + i < count; i += Threads)
      atomicAdd(&bins[tile[i] * 2654435761u >> 26], 1u);
    __syncthreads();
  }

  if (threadIdx.x < Bins)
    atomicAdd(&result[threadIdx.x], bins[threadIdx.x]);
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 1, 10000), blocks = argument(argc, argv, 2, 3);
  const std::vector<unsigned> keys = integers<unsigned>(count, 1, 100000);
  unsigned *deviceKeys = toDevice(keys), *result = zeros<unsigned>(Bins);

  histogram<<<blocks, Threads>>>(result, deviceKeys, count);
  const std::vector<unsigned> got = toHost(result, Bins);

  std::vector<unsigned> wanted(Bins);
  for (unsigned key : keys)
    ++wanted[key * 2654435761u >> 26];
  return verdict("histogram", got, agree(got, [&](size_t bin) { return wanted[bin]; }, 0));
}
