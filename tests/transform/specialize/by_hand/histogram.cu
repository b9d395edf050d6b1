// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../histogram.cu with two buffers and cp.async of 16 bytes.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Threads = 128, Tile = 1024, Bins = 64;

__global__ void __launch_bounds__(Threads) histogram(unsigned *result, const unsigned *keys, int count) {
  __shared__ alignas(16) unsigned tile[2][Tile];
  __shared__ unsigned bins[Bins];

  const auto copy = [&](int start, int buffer) {
    for (int i = threadIdx.x * 4; i < Tile; i += Threads * 4) {
      const int there = min(count - start - i, 4);
      if (there > 0)
        __pipeline_memcpy_async(&tile[buffer][i], &keys[start + i], 16, 16 - 4 * there);
    }
    __pipeline_commit();
  };

  int buffer = 0;
  copy(blockIdx.x * Tile, 0);
  if (threadIdx.x < Bins)
    bins[threadIdx.x] = 0;
  __syncthreads();

  for (int start = blockIdx.x * Tile; start < count; start += gridDim.x * Tile, buffer ^= 1) {
    copy(start + gridDim.x * Tile, buffer ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int i = threadIdx.x; i < Tile && start + i < count; i += Threads)
      atomicAdd(&bins[tile[buffer][i] * 2654435761u >> 26], 1u);
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
