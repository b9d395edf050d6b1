// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two tile loops side by side: the first sums a row up, the second loads it again and writes it with that
// mean taken off. A row a block.
#include "Harness.h"

constexpr int Threads = 64, Tile = 256;

__global__ void __launch_bounds__(Threads) center(float *out, const float *in, int columns) {
  __shared__ float tile[Tile];
  __shared__ float mean;
  const float *row = in + size_t(blockIdx.x) * columns;

  float sum = 0;
  for (int start = 0; start < columns; start += Tile) {
    for (int i = threadIdx.x; i < Tile; i += Threads)
      tile[i] = start + i < columns ? row[start + i] : 0.0f;
    __syncthreads();
    for (int i = 0; i < Tile; ++i) // by every thread: in the same order, so the same sum
      sum += tile[i];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    mean = sum / columns;
  __syncthreads();

  for (int start = 0; start < columns; start += Tile) {
    for (int i = threadIdx.x; i < Tile; i += Threads)
      tile[i] = start + i < columns ? row[start + i] : 0.0f;
    __syncthreads();
    for (int i = threadIdx.x; i < Tile; i += Threads)
      if (start + i < columns)
        out[size_t(blockIdx.x) * columns + start + i] = tile[i] - mean;
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  const int rows = argument(argc, argv, 1, 4), columns = sizeArgument(argc, argv, 2, 600);
  const std::vector<float> in = floats(size_t(rows) * columns, 1);
  float *deviceIn = toDevice(in), *out = zeros<float>(in.size());

  center<<<rows, Threads>>>(out, deviceIn, columns);
  const std::vector<float> got = toHost(out, in.size());

  const auto wanted = [&](size_t at) {
    double sum = 0;
    for (int i = 0; i < columns; ++i)
      sum += in[at / columns * columns + i];
    return in[at] - sum / columns;
  };
  return verdict("normalize", got, agree(got, wanted, 1e-5, 2000));
}
