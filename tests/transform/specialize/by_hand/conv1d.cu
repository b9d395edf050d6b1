// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../conv1d.cu with two buffers and cp.async.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Threads = 128, Tile = 512, Radius = 8;

__constant__ float filter[2 * Radius + 1];

__global__ void convolve(float *out, const float *in, int count, int tilesEach) {
  __shared__ float tile[2][Tile + 2 * Radius];
  const int first = blockIdx.x * tilesEach;
  const auto isMine = [&](int t) { return t < first + tilesEach && t * Tile < count; };

  const auto copy = [&](int t, int buffer) {
    for (int i = threadIdx.x; isMine(t) && i < Tile + 2 * Radius; i += blockDim.x) {
      const int at = t * Tile + i - Radius;
      const bool there = at >= 0 && at < count;
      __pipeline_memcpy_async(&tile[buffer][i], there ? &in[at] : in, 4, there ? 0 : 4);
    }
    __pipeline_commit();
  };

  int buffer = 0;
  copy(first, 0);
  for (int t = first; isMine(t); ++t, buffer ^= 1) {
    const int start = t * Tile;
    copy(t + 1, buffer ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int i = threadIdx.x; i < Tile; i += blockDim.x) {
      float sum = 0;
      for (int j = 0; j <= 2 * Radius; ++j)
        sum += filter[j] * tile[buffer][i + j];
      if (start + i < count)
        out[start + i] = sum;
    }
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 1, 5000), tilesEach = argument(argc, argv, 2, 4);
  const std::vector<float> in = floats(count, 1), weights = floats(2 * Radius + 1, 2);
  float *deviceIn = toDevice(in), *out = zeros<float>(count);
  CHECK(cudaMemcpyToSymbol(filter, weights.data(), sizeof(filter)));

  convolve<<<blocksFor(count, Tile * tilesEach), Threads>>>(out, deviceIn, count, tilesEach);
  const std::vector<float> got = toHost(out, count);

  const auto wanted = [&](size_t at) {
    double sum = 0;
    for (int j = -Radius; j <= Radius; ++j)
      if (int(at) + j >= 0 && int(at) + j < count)
        sum += double(weights[j + Radius]) * in[at + j];
    return sum;
  };
  return verdict("conv1d", got, agree(got, wanted, 2e-5, 20000));
}
