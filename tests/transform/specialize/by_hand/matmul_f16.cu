// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../matmul_f16.cu with two buffers. Halves are too small for cp.async: eight of them make a copy where a row
// is aligned and inside, else they are stored one by one.
#include "../Harness.h"

#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

constexpr int Tile = 32, Part = 16, Threads = 128, Pack = 8;
using namespace nvcuda;

/// Eight halves from `from` on, which is column `column` of a row that has `columns`, if there is such a row.
__device__ void copyPack(__half *to, const __half *from, bool row, int column, int columns) {
  if (row && column + Pack <= columns && reinterpret_cast<size_t>(from) % 16 == 0) {
    __pipeline_memcpy_async(to, from, 16);
    return;
  }
  for (int i = 0; i < Pack; ++i)
    to[i] = row && column + i < columns ? from[i] : __float2half(0.0f);
}

__global__ void __launch_bounds__(Threads)
    matmul(float *c, const __half *a, const __half *b, int m, int n, int k) {
  __shared__ alignas(16) __half tileA[2][Tile][Tile];
  __shared__ alignas(16) __half tileB[2][Tile][Tile];
  __shared__ float result[Tile][Tile];
  const int left = blockIdx.x * Tile, top = blockIdx.y * Tile;
  const int warpY = threadIdx.x / 32 / 2 * Part, warpX = threadIdx.x / 32 % 2 * Part;

  const auto copy = [&](int start, int buffer) {
    for (int i = threadIdx.x * Pack; start < k && i < Tile * Tile; i += Threads * Pack) {
      const int y = i / Tile, x = i % Tile;
      copyPack(&tileA[buffer][y][x], a + size_t(top + y) * k + start + x, top + y < m, start + x, k);
      copyPack(&tileB[buffer][y][x], b + size_t(start + y) * n + left + x, start + y < k, left + x, n);
    }
    __pipeline_commit();
  };

  wmma::fragment<wmma::accumulator, Part, Part, Part, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  int buffer = 0;
  copy(0, 0);
  for (int start = 0; start < k; start += Tile, buffer ^= 1) {
    copy(start + Tile, buffer ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int d = 0; d < Tile; d += Part) {
      wmma::fragment<wmma::matrix_a, Part, Part, Part, __half, wmma::row_major> partA;
      wmma::fragment<wmma::matrix_b, Part, Part, Part, __half, wmma::row_major> partB;
      wmma::load_matrix_sync(partA, &tileA[buffer][warpY][d], Tile);
      wmma::load_matrix_sync(partB, &tileB[buffer][d][warpX], Tile);
      wmma::mma_sync(sum, partA, partB, sum);
    }
    __syncthreads();
  }
  wmma::store_matrix_sync(&result[warpY][warpX], sum, Tile, wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < Tile * Tile; i += Threads) {
    const int row = top + i / Tile, column = left + i % Tile;
    if (row < m && column < n)
      c[size_t(row) * n + column] = result[i / Tile][i % Tile];
  }
}

int main(int argc, char **argv) {
  const int m = sizeArgument(argc, argv, 1, 40), n = sizeArgument(argc, argv, 2, 64),
            k = sizeArgument(argc, argv, 3, 80);
  const auto halves = [](size_t count, unsigned seed) {
    std::vector<__half> list;
    for (float value : floats(count, seed))
      list.push_back(__float2half(value));
    return list;
  };
  const std::vector<__half> a = halves(size_t(m) * k, 1), b = halves(size_t(k) * n, 2);
  __half *deviceA = toDevice(a), *deviceB = toDevice(b);
  float *c = zeros<float>(size_t(m) * n);

  matmul<<<dim3(blocksFor(n, Tile), blocksFor(m, Tile)), Threads>>>(c, deviceA, deviceB, m, n, k);
  const std::vector<float> got = toHost(c, size_t(m) * n);

  const auto wanted = [&](size_t at) {
    double sum = 0;
    for (int d = 0; d < k; ++d)
      sum += double(__half2float(a[at / n * k + d])) * __half2float(b[size_t(d) * n + at % n]);
    return sum;
  };
  return verdict("matmul_f16", got, agree(got, wanted, 1e-4, 20000));
}
