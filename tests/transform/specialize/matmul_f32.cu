// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix product in tiles of 16x16, one result a thread: the first tiled kernel of every course.
#include "Harness.h"

constexpr int Tile = 16;

__global__ void matmul(float *c, const float *a, const float *b, int m, int n, int k) {
  __shared__ float tileA[Tile][Tile];
  __shared__ float tileB[Tile][Tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * Tile + ty, column = blockIdx.x * Tile + tx;

  float sum = 0;
  for (int start = 0; start < k; start += Tile) {
    tileA[ty][tx] = row < m && start + tx < k ? a[size_t(row) * k + start + tx] : 0.0f;
    tileB[ty][tx] = start + ty < k && column < n ? b[size_t(start + ty) * n + column] : 0.0f;
    __syncthreads();
    for (int d = 0; d < Tile; ++d)
      sum += tileA[ty][d] * tileB[d][tx];
    __syncthreads();
  }
  if (row < m && column < n)
    c[size_t(row) * n + column] = sum;
}

int main(int argc, char **argv) {
  const int m = sizeArgument(argc, argv, 1, 40), n = sizeArgument(argc, argv, 2, 35),
            k = sizeArgument(argc, argv, 3, 70);
  const std::vector<float> a = floats(size_t(m) * k, 1), b = floats(size_t(k) * n, 2);
  float *deviceA = toDevice(a), *deviceB = toDevice(b), *c = zeros<float>(size_t(m) * n);

  matmul<<<dim3(blocksFor(n, Tile), blocksFor(m, Tile)), dim3(Tile, Tile)>>>(c, deviceA, deviceB, m, n, k);
  const std::vector<float> got = toHost(c, size_t(m) * n);

  const auto wanted = [&](size_t at) {
    double sum = 0;
    for (int d = 0; d < k; ++d)
      sum += double(a[at / n * k + d]) * b[size_t(d) * n + at % n];
    return sum;
  };
  return verdict("matmul_f32", got, agree(got, wanted, 5e-5, 20000));
}
