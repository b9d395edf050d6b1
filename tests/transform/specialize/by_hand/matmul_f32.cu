// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../matmul_f32.cu with two buffers and cp.async: the next tile is copied while this one is computed on.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Tile = 16;

__global__ void matmul(float *c, const float *a, const float *b, int m, int n, int k) {
  __shared__ float tileA[2][Tile][Tile];
  __shared__ float tileB[2][Tile][Tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * Tile + ty, column = blockIdx.x * Tile + tx;

  // What lies outside is filled with zeros; then any address will do.
  const auto copy = [&](int start, int buffer) {
    if (start < k) {
      const bool thereA = row < m && start + tx < k, thereB = start + ty < k && column < n;
      __pipeline_memcpy_async(&tileA[buffer][ty][tx], thereA ? &a[size_t(row) * k + start + tx] : a, 4,
                              thereA ? 0 : 4);
      __pipeline_memcpy_async(&tileB[buffer][ty][tx], thereB ? &b[size_t(start + ty) * n + column] : b, 4,
                              thereB ? 0 : 4);
    }
    __pipeline_commit();
  };

  float sum = 0;
  int buffer = 0;
  copy(0, 0);
  for (int start = 0; start < k; start += Tile, buffer ^= 1) {
    copy(start + Tile, buffer ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int d = 0; d < Tile; ++d)
      sum += tileA[buffer][ty][d] * tileB[buffer][d][tx];
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
