// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../gather.cu with two buffers and cp.async: the indices go through a register, as an address has to.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Threads = 128;

__global__ void __launch_bounds__(Threads)
    smooth(float *out, const float *table, const int *index, int count, int rounds) {
  __shared__ float tile[2][Threads + 2];
  const int tx = threadIdx.x;
  const auto startOf = [&](int r) { return (blockIdx.x * rounds + r) * Threads; };

  const auto copy = [&](int r, int buffer) {
    const int start = startOf(r);
    if (r < rounds && start < count) {
      const auto element = [&](int to, int at) {
        __pipeline_memcpy_async(&tile[buffer][to], &table[index[at]], 4);
      };
      element(tx + 1, min(start + tx, count - 1));
      if (tx == 0)
        element(0, max(start - 1, 0));
      if (tx == Threads - 1)
        element(Threads + 1, min(start + Threads, count - 1));
    }
    __pipeline_commit();
  };

  copy(0, 0);
  for (int r = 0; r < rounds; ++r) {
    const int start = startOf(r), buffer = r % 2;
    if (start >= count) // the same for all threads
      break;
    copy(r + 1, buffer ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    if (start + tx < count)
      out[start + tx] = 0.25f * tile[buffer][tx] + 0.5f * tile[buffer][tx + 1] + 0.25f * tile[buffer][tx + 2];
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 1, 1000), size = argument(argc, argv, 2, 300);
  const int rounds = argument(argc, argv, 3, 3);
  const std::vector<float> table = floats(size, 1);
  const std::vector<int> index = integers(count, 2, size);
  float *deviceTable = toDevice(table), *out = zeros<float>(count);
  int *deviceIndex = toDevice(index);

  smooth<<<blocksFor(count, Threads * rounds), Threads>>>(out, deviceTable, deviceIndex, count, rounds);
  const std::vector<float> got = toHost(out, count);

  const auto wanted = [&](size_t i) {
    const size_t before = i > 0 ? i - 1 : 0, after = i + 1 < size_t(count) ? i + 1 : i;
    return 0.25 * table[index[before]] + 0.5 * table[index[i]] + 0.25 * table[index[after]];
  };
  return verdict("gather", got, agree(got, wanted, 1e-6));
}
