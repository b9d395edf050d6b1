// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../matmul_f64.cu with two buffers and cp.async.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Tile = 32, Rows = 8, Each = Tile / Rows;

__global__ void __launch_bounds__(Tile *Rows)
    matmul(double *c, const double *a, const double *b, int m, int n, int k) {
  __shared__ double tileA[2][Tile][Tile];
  __shared__ double tileB[2][Tile][Tile];
  const int left = blockIdx.x * Tile, top = blockIdx.y * Tile;

  const auto copy = [&](int start, int buffer) {
    for (int y = threadIdx.y; start < k && y < Tile; y += Rows) {
      const int x = threadIdx.x;
      const bool thereA = top + y < m && start + x < k, thereB = start + y < k && left + x < n;
      __pipeline_memcpy_async(&tileA[buffer][y][x], thereA ? &a[size_t(top + y) * k + start + x] : a, 8,
                              thereA ? 0 : 8);
      __pipeline_memcpy_async(&tileB[buffer][y][x], thereB ? &b[size_t(start + y) * n + left + x] : b, 8,
                              thereB ? 0 : 8);
    }
    __pipeline_commit();
  };

  double sum[Each] = {};
  int buffer = 0;
  copy(0, 0);
  for (int start = 0; start < k; start += Tile, buffer ^= 1) {
    copy(start + Tile, buffer ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int i = 0; i < Each; ++i)
      for (int d = 0; d < Tile; ++d)
        sum[i] += tileA[buffer][threadIdx.y + i * Rows][d] * tileB[buffer][d][threadIdx.x];
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
