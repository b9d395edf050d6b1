// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix product of halves by tensor cores: four warps, each with a 16x16 part of the block's 32x32, 32 deep
// a step. Sums are floats.
#include "Harness.h"

#include <cuda_fp16.h>
#include <mma.h>

constexpr int Tile = 32, Part = 16, Threads = 128;
using namespace nvcuda;

__global__ void __launch_bounds__(Threads)
    matmul(float *c, const __half *a, const __half *b, int m, int n, int k) {
  __shared__ __half tileA[Tile][Tile];
  __shared__ __half tileB[Tile][Tile];
  __shared__ float result[Tile][Tile];
  const int left = blockIdx.x * Tile, top = blockIdx.y * Tile;
  const int warpY = threadIdx.x / 32 / 2 * Part, warpX = threadIdx.x / 32 % 2 * Part;

  wmma::fragment<wmma::accumulator, Part, Part, Part, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int start = 0; start < k; start += Tile) {
    for (int i = threadIdx.x; i < Tile * Tile; i += Threads) {
      const int y = i / Tile, x = i % Tile;
      tileA[y][x] = top + y < m && start + x < k ? a[size_t(top + y) * k + start + x] : __float2half(0.0f);
      tileB[y][x] = start + y < k && left + x < n ? b[size_t(start + y) * n + left + x] : __float2half(0.0f);
    }
    __syncthreads();
    for (int d = 0; d < Tile; d += Part) {
      wmma::fragment<wmma::matrix_a, Part, Part, Part, __half, wmma::row_major> partA;
      wmma::fragment<wmma::matrix_b, Part, Part, Part, __half, wmma::row_major> partB;
      wmma::load_matrix_sync(partA, &tileA[warpY][d], Tile);
      wmma::load_matrix_sync(partB, &tileB[d][warpX], Tile);
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
