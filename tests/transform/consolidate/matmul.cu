// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix product in tiles of 16x16, the first program of every CUDA course.
//
// For consolidation: the classical case that must stay in shared memory. Once a warp represents the block,
// row 'threadIdx.y' and column 'threadIdx.x' of the tiles are read at addresses that a thread computes; the
// paper saw local memory take the registers' place here. Aggregation alone is legal.
#include "Harness.h"

template <int Tile> __global__ void matmul(float *c, const float *a, const float *b, int n) {
  __shared__ float tileA[Tile][Tile];
  __shared__ float tileB[Tile][Tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * Tile + ty, column = blockIdx.x * Tile + tx;

  float sum = 0;
  for (int start = 0; start < n; start += Tile) {
    tileA[ty][tx] = row < n && start + tx < n ? a[size_t(row) * n + start + tx] : 0.0f;
    tileB[ty][tx] = column < n && start + ty < n ? b[size_t(start + ty) * n + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += tileA[ty][k] * tileB[k][tx];
    __syncthreads();
  }
  if (row < n && column < n)
    c[size_t(row) * n + column] = sum;
}

int main(int argc, char **argv) {
  const int n = argument(argc, argv, 1, 60);
  constexpr int Tile = 16;
  const std::vector<float> a = floats(size_t(n) * n, 8, 0), b = floats(size_t(n) * n, 9, 0);
  float *deviceA = toDevice(a), *deviceB = toDevice(b), *deviceC = zeros<float>(size_t(n) * n);

  dim3 threads(Tile, Tile);
  dim3 grid(blocksFor(n, Tile), blocksFor(n, Tile));
  matmul<Tile><<<grid, threads>>>(deviceC, deviceA, deviceB, n);
  const std::vector<float> got = toHost(deviceC, size_t(n) * n);

  const auto wanted = [&](size_t at) {
    double sum = 0;
    for (int k = 0; k < n; ++k)
      sum += double(a[at / n * n + k]) * b[size_t(k) * n + at % n];
    return sum;
  };
  return verdict("matmul", got, agree(got, wanted, 5e-5, 20000));
}
