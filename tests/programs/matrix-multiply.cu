// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tiled matrix product with shared memory and barriers in a loop, for sizes that tiles do not divide.
#include "Check.h"

template <int tile> __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float as[tile][tile], bs[tile][tile + 1];
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += tile) {
    as[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
    bs[threadIdx.y][threadIdx.x] = column < n && t + threadIdx.y < k ? b[(t + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < tile; ++i)
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

template <int tile> void test(int m, int n, int k) {
  std::vector<float> a(m * k), b(k * n);
  for (int i = 0; i < m * k; ++i)
    a[i] = float(i * 7 % 13 - 6);
  for (int i = 0; i < k * n; ++i)
    b[i] = float(i * 5 % 11 - 5) * 0.5f;
  DeviceArray<float> da(a), db(b), dc(m * n);
  dim3 grid((n + tile - 1) / tile, (m + tile - 1) / tile);
  multiply<tile><<<grid, dim3(tile, tile)>>>(da, db, dc, m, n, k);
  CHECK_LAUNCH();
  std::vector<float> c = dc.host();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += a[i * k + l] * b[l * n + j];
      CHECK(c[i * n + j] == sum);
    }
}

int main() {
  test<16>(48, 64, 32);
  test<16>(50, 37, 61);
  test<8>(9, 70, 23);
  test<32>(33, 31, 64);
  return pass();
}
