// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../persistent.cu with two buffers and cp.async. At the end of a row the next one's first tile is already
// under way.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Threads = 128, Tile = 256;

__global__ void __launch_bounds__(Threads) rowSums(float *out, const float *in, int rows, int columns) {
  __shared__ float tile[2][Tile];
  __shared__ float partial[Threads];

  const auto copy = [&](int row, int start, int buffer) {
    for (int i = threadIdx.x; row < rows && start < columns && i < Tile; i += Threads) {
      const bool there = start + i < columns;
      __pipeline_memcpy_async(&tile[buffer][i], there ? &in[size_t(row) * columns + start + i] : in, 4,
                              there ? 0 : 4);
    }
    __pipeline_commit();
  };

  int buffer = 0;
  copy(blockIdx.x, 0, 0);
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float sum = 0;
    for (int start = 0; start < columns; start += Tile, buffer ^= 1) {
      const bool isLast = start + Tile >= columns;
      copy(isLast ? row + gridDim.x : row, isLast ? 0 : start + Tile, buffer ^ 1);
      __pipeline_wait_prior(1);
      __syncthreads();
      for (int i = threadIdx.x; i < Tile; i += Threads)
        sum += tile[buffer][i] * tile[buffer][Tile - 1 - i];
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
