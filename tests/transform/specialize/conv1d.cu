// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One-dimensional convolution: a block goes over its share of the signal tile by tile, with a halo of the
// filter's radius on both sides. The filter lies in constant memory.
#include "Harness.h"

constexpr int Threads = 128, Tile = 512, Radius = 8;

__constant__ float filter[2 * Radius + 1];

__global__ void convolve(float *out, const float *in, int count, int tilesEach) {
  __shared__ float tile[Tile + 2 * Radius];
  const int first = blockIdx.x * tilesEach;
  for (int t = first; t < first + tilesEach && t * Tile < count; ++t) {
    const int start = t * Tile;
    for (int i = threadIdx.x; i < Tile + 2 * Radius; i += blockDim.x) {
      const int at = start + i - Radius;
      tile[i] = at >= 0 && at < count ? in[at] : 0.0f;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < Tile; i += blockDim.x) {
      float sum = 0;
      for (int j = 0; j <= 2 * Radius; ++j)
        sum += filter[j] * tile[i + j];
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
