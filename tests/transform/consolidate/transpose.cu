// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transpose in tiles of 32x32 by blocks of 32x8: four rows a thread, the tile one column wider than it needs
// to be so that a column lies in 32 banks.
//
// For consolidation: the other classical case that must stay in shared memory. The register of
// 'tile[threadIdx.x][...]' would be another one in every lane. Aggregation alone is legal; warps become 32
// rows a thread.
#include "Harness.h"

constexpr int Tile = 32;
constexpr int Rows = 8;

__global__ void transpose(float *__restrict__ out, const float *__restrict__ in, int width, int height) {
  __shared__ float tile[Tile][Tile + 1];

  int x = blockIdx.x * Tile + threadIdx.x;
  int y = blockIdx.y * Tile + threadIdx.y;
  for (int row = 0; row < Tile; row += Rows)
    if (x < width && y + row < height)
      tile[threadIdx.y + row][threadIdx.x] = in[size_t(y + row) * width + x];
  __syncthreads();

  x = blockIdx.y * Tile + threadIdx.x;
  y = blockIdx.x * Tile + threadIdx.y;
  for (int row = 0; row < Tile; row += Rows)
    if (x < height && y + row < width)
      out[size_t(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];
}

int main(int argc, char **argv) {
  const int width = argument(argc, argv, 1, 100), height = argument(argc, argv, 2, 70);
  const std::vector<float> in = floats(size_t(width) * height, 12);
  float *deviceIn = toDevice(in), *deviceOut = zeros<float>(in.size());

  const dim3 grid(blocksFor(width, Tile), blocksFor(height, Tile)), block(Tile, Rows);
  transpose<<<grid, block>>>(deviceOut, deviceIn, width, height);
  const std::vector<float> got = toHost(deviceOut, in.size());

  const auto wanted = [&](size_t at) { return in[at % height * width + at / height]; };
  return verdict("transpose", got, agree(got, wanted, 0));
}
