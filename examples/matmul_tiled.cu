// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A B with 16x16 tiles in shared memory: each value of A and B is read from global memory once for each
// tile of C that needs it, not once for each element.
#include "check.h"

constexpr int Tile = 16;

__global__ void matmul(float *C, const float *A, const float *B, int n) {
  __shared__ float tileA[Tile][Tile];
  __shared__ float tileB[Tile][Tile];
  int row = blockIdx.y * Tile + threadIdx.y;
  int column = blockIdx.x * Tile + threadIdx.x;

  float sum = 0.0f;
  for (int first = 0; first < n; first += Tile) {
    // Beyond the matrix's edge the tiles hold zeros, so the inner loop needs no test.
    int columnA = first + threadIdx.x;
    int rowB = first + threadIdx.y;
    tileA[threadIdx.y][threadIdx.x] = row < n && columnA < n ? A[row * n + columnA] : 0.0f;
    tileB[threadIdx.y][threadIdx.x] = rowB < n && column < n ? B[rowB * n + column] : 0.0f;
    __syncthreads();

    for (int k = 0; k < Tile; ++k)
      sum += tileA[threadIdx.y][k] * tileB[k][threadIdx.x];
    __syncthreads();
  }

  if (row < n && column < n)
    C[row * n + column] = sum;
}

static std::vector<float> expected(const std::vector<float> &A, const std::vector<float> &B, int n) {
  std::vector<float> C(size_t(n) * n);
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 0.0;
      for (int k = 0; k < n; ++k)
        sum += double(A[row * n + k]) * double(B[k * n + column]);
      C[row * n + column] = float(sum);
    }
  return C;
}

int main(int argc, char **argv) {
  const int n = sizeArgument(argc, argv, 72); // not a multiple of the tile, so that the edges are tried too
  std::vector<float> A(size_t(n) * n), B(A.size()), C(A.size());
  for (size_t i = 0; i < A.size(); ++i) {
    A[i] = float(i % 13) - 6.0f;
    B[i] = 0.125f * float(i % 17);
  }

  float *deviceA = toDevice(A);
  float *deviceB = toDevice(B);
  float *deviceC = toDevice(C);
  const dim3 block(Tile, Tile);
  const dim3 grid((n + Tile - 1) / Tile, (n + Tile - 1) / Tile);
  matmul<<<grid, block>>>(deviceC, deviceA, deviceB, n);
  CHECK(cudaGetLastError());
  toHost(C, deviceC);

  // The values are small multiples of 1/8: float adds them without rounding, in any order.
  const bool passed = allClose(C, expected(A, B, n), 0.0);
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceB));
  CHECK(cudaFree(deviceC));
  return verdict("matmul_tiled", passed);
}
