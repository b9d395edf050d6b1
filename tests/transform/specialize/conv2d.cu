// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two-dimensional convolution, 5x5: a block goes down a strip of the image, 16x16 pixels at a time, with a
// halo of two. Pixels outside are those of the nearest edge.
#include "Harness.h"

#include <algorithm>

constexpr int Tile = 16, Radius = 2, Wide = Tile + 2 * Radius;

struct Filter {
  float weight[2 * Radius + 1][2 * Radius + 1];
};

__device__ int clampTo(int value, int size) { return value < 0 ? 0 : value < size ? value : size - 1; }

__global__ void convolve(float *out, const float *in, int width, int height, Filter filter) {
  __shared__ float tile[Wide][Wide + 1];
  const int left = blockIdx.x * Tile;
  for (int top = 0; top < height; top += Tile) {
    for (int y = threadIdx.y; y < Wide; y += Tile)
      for (int x = threadIdx.x; x < Wide; x += Tile)
        tile[y][x] =
            in[size_t(clampTo(top + y - Radius, height)) * width + clampTo(left + x - Radius, width)];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int dy = 0; dy <= 2 * Radius; ++dy)
#pragma unroll
      for (int dx = 0; dx <= 2 * Radius; ++dx)
        sum += filter.weight[dy][dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
    const int x = left + threadIdx.x, y = top + threadIdx.y;
    if (x < width && y < height)
      out[size_t(y) * width + x] = sum;
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  const int width = argument(argc, argv, 1, 45), height = sizeArgument(argc, argv, 2, 70);
  const std::vector<float> in = floats(size_t(width) * height, 1), weights = floats(25, 2);
  Filter filter;
  for (int i = 0; i < 25; ++i)
    filter.weight[i / 5][i % 5] = weights[i];
  float *deviceIn = toDevice(in), *out = zeros<float>(in.size());

  convolve<<<blocksFor(width, Tile), dim3(Tile, Tile)>>>(out, deviceIn, width, height, filter);
  const std::vector<float> got = toHost(out, in.size());

  const auto within = [](int value, int size) { return std::min(std::max(value, 0), size - 1); };
  const auto wanted = [&](size_t at) {
    const int x = int(at % width), y = int(at / width);
    double sum = 0;
    for (int dy = -Radius; dy <= Radius; ++dy)
      for (int dx = -Radius; dx <= Radius; ++dx)
        sum += double(weights[(dy + Radius) * 5 + dx + Radius]) *
               in[size_t(within(y + dy, height)) * width + within(x + dx, width)];
    return sum;
  };
  return verdict("conv2d", got, agree(got, wanted, 2e-5, 20000));
}
