// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../normalize.cu with two buffers and cp.async. When the first loop ends, the first tile of the second is
// under way: it is the same row again.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Threads = 64, Tile = 256;

__global__ void __launch_bounds__(Threads) center(float *out, const float *in, int columns) {
  __shared__ float tile[2][Tile];
  __shared__ float mean;
  const float *row = in + size_t(blockIdx.x) * columns;

  const auto copy = [&](int start, int buffer) {
    for (int i = threadIdx.x; start < columns && i < Tile; i += Threads) {
      const bool there = start + i < columns;
      __pipeline_memcpy_async(&tile[buffer][i], there ? &row[start + i] : in, 4, there ? 0 : 4);
    }
    __pipeline_commit();
  };

  float sum = 0;
  int buffer = 0;
  copy(0, 0);
  for (int start = 0; start < columns; start += Tile, buffer ^= 1) {
    copy(start + Tile < columns ? start + Tile : 0, buffer ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int i = 0; i < Tile; ++i) // by every thread: in the same order, so the same sum
      sum += tile[buffer][i];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    mean = sum / columns;
  __syncthreads();

  for (int start = 0; start < columns; start += Tile, buffer ^= 1) {
    copy(start + Tile, buffer ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int i = threadIdx.x; i < Tile; i += Threads)
      if (start + i < columns)
        out[size_t(blockIdx.x) * columns + start + i] = tile[buffer][i] - mean;
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
