// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Persistent blocks: rows are taken one after another; a row is summed tile by tile, weighted with its mirror
// image in the tile, and the block adds up its threads' sums by a tree. The tree's barriers are the
// consumers' own affair.
#include "Harness.h"

constexpr int Threads = 128, Tile = 256;

__global__ void __launch_bounds__(Threads) rowSums(float *out, const float *in, int rows, int columns) {
  __shared__ float tile[Tile];
  __shared__ float partial[Threads];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float sum = 0;
    for (int start = 0; start < columns; start += Tile) {
      for (int i = threadIdx.x; i < Tile; i += Threads)
        tile[i] = start + i < columns ? in[size_t(row) * columns + start + i] : 0.0f;
      __syncthreads();
      for (int i = threadIdx.x; i < Tile; i += Threads)
        sum += tile[i] * tile[Tile - 1 - i];
      __syncthreads();
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = Threads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half)
        partial[threadIdx.x] += partial[threadIdx.x + half];
      __syncthreads();
    }
    if (threadIdx.x == 0)
      out[row] = partial[0];
  }
}

int main(int argc, char **argv) {
  const int rows = sizeArgument(argc, argv, 1, 7), columns = sizeArgument(argc, argv, 2, 700);
  const int blocks = argument(argc, argv, 3, 3);
  const std::vector<float> in = floats(size_t(rows) * columns, 1);
  float *deviceIn = toDevice(in), *out = zeros<float>(rows);

  rowSums<<<blocks, Threads>>>(out, deviceIn, rows, columns);
  const std::vector<float> got = toHost(out, rows);

  const auto wanted = [&](size_t row) {
    const auto value = [&](int at) { return at < columns ? double(in[row * columns + at]) : 0.0; };
    double sum = 0;
    for (int i = 0; i < columns; ++i)
      sum += value(i) * value(i / Tile * Tile + Tile - 1 - i % Tile);
    return sum;
  };
  return verdict("persistent", got, agree(got, wanted, 1e-4));
}
