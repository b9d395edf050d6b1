// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix product of doubles, four results a thread: tiles of 32x32 by 32x8 threads.
#include "Harness.h"

constexpr int Tile = 32, Rows = 8, Each = Tile / Rows;

__global__ void __launch_bounds__(Tile *Rows)
    matmul(double *c, const double *a, const double *b, int m, int n, int k) {
  __shared__ double tileA[Tile][Tile];
  __shared__ double tileB[Tile][Tile];
  const int left = blockIdx.x * Tile, top = blockIdx.y * Tile;

  double sum[Each] = {};
  for (int start = 0; start < k; start += Tile) {
    for (int y = threadIdx.y; y < Tile; y += Rows) {
      const int x = threadIdx.x;
      tileA[y][x] = top + y < m && start + x < k ? a[size_t(top + y) * k + start + x] : 0.0;
      tileB[y][x] = start + y < k && left + x < n ? b[size_t(start + y) * n + left + x] : 0.0;
    }
    __syncthreads();
    for (int i = 0; i < Each; ++i)
      for (int d = 0; d < Tile; ++d)
        sum[i] += tileA[threadIdx.y + i * Rows][d] * tileB[d][threadIdx.x];
    __syncthreads();
  }
  for (int i = 0; i < Each; ++i) {
    const int row = top + threadIdx.y + i * Rows, column = left + threadIdx.x;
    if (row < m && column < n)
      c[size_t(row) * n + column] = sum[i];
  }
}

int main(int argc, char **argv) {
  const int m = sizeArgument(argc, argv, 1, 40), n = sizeArgument(argc, argv, 2, 50),
            k = sizeArgument(argc, argv, 3, 75);
  const std::vector<double> a = doubles(size_t(m) * k, 1), b = doubles(size_t(k) * n, 2);
  double *deviceA = toDevice(a), *deviceB = toDevice(b), *c = zeros<double>(size_t(m) * n);

  matmul<<<dim3(blocksFor(n, Tile), blocksFor(m, Tile)), dim3(Tile, Rows)>>>(c, deviceA, deviceB, m, n, k);
  const std::vector<double> got = toHost(c, size_t(m) * n);

  const auto wanted = [&](size_t at) {
    double sum = 0;
    for (int d = 0; d < k; ++d)
      sum += a[at / n * k + d] * b[size_t(d) * n + at % n];
    return sum;
  };
  return verdict("matmul_f64", got, agree(got, wanted, 1e-12, 20000));
}
