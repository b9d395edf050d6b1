// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transpose through a tile in shared memory, so that both the reads and the writes of a warp are neighbours
// in global memory. The tile's extra column puts the elements of a column into different banks.
#include "check.h"

constexpr int Tile = 32;
constexpr int Rows = 8; // each thread moves Tile / Rows elements

__global__ void transpose(float *out, const float *in, int width, int height) {
  __shared__ float tile[Tile][Tile + 1];

  int x = blockIdx.x * Tile + threadIdx.x;
  int y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();

  // The block's index in the result is mirrored, the thread's index in the block is not.
  x = blockIdx.y * Tile + threadIdx.x;
  y = blockIdx.x * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    if (x < height && y + j < width)
      out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

static std::vector<float> expected(const std::vector<float> &in, int width, int height) {
  std::vector<float> out(in.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      out[x * height + y] = in[y * width + x];
  return out;
}

int main(int argc, char **argv) {
  const int width = sizeArgument(argc, argv, 100);
  const int height = width + width / 2; // not square, so that a mixed-up index shows
  std::vector<float> in(size_t(width) * height), out(in.size(), 0.0f);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = float(i);

  float *deviceIn = toDevice(in);
  float *deviceOut = toDevice(out);
  const dim3 block(Tile, Rows);
  const dim3 grid((width + Tile - 1) / Tile, (height + Tile - 1) / Tile);
  transpose<<<grid, block>>>(deviceOut, deviceIn, width, height);
  CHECK(cudaGetLastError());
  toHost(out, deviceOut);

  const bool passed = allClose(out, expected(in, width, height), 0.0);
  CHECK(cudaFree(deviceIn));
  CHECK(cudaFree(deviceOut));
  return verdict("transpose_tiled", passed);
}
