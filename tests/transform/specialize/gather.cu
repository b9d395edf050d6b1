// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse matrix in ELL form times a vector would do the same: elements are fetched through an index array
// into a tile, which then is smoothed by neighbours in the tile.
#include "Harness.h"

constexpr int Threads = 128;

__global__ void __launch_bounds__(Threads)
    smooth(float *out, const float *table, const int *index, int count, int rounds) {
  __shared__ float tile[Threads + 2];
  const int tx = threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    const int start = (blockIdx.x * rounds + r) * Threads;
    if (start >= count) // the same for all threads
      break;
    const int at = min(start + tx, count - 1);
    const int from = index[at];
    tile[tx + 1] = table[from];
    if (tx == 0)
      tile[0] = table[index[max(start - 1, 0)]];
    if (tx == Threads - 1)
      tile[Threads + 1] = table[index[min(start + Threads, count - 1)]];
    __syncthreads();
    if (start + tx < count)
      out[start + tx] = 0.25f * tile[tx] + 0.5f * tile[tx + 1] + 0.25f * tile[tx + 2];
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
