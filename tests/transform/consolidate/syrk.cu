// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SYRK, C = alpha A transpose(A) + beta C, an element a thread in blocks of 32x8.
//
// For consolidation: no barrier and no shared memory, but a block of two dimensions: it can become 32x1 with
// eight times the blocks along y, since the kernel derives all from blockDim.
#include "Harness.h"

#define DIM_THREAD_BLOCK_X 32
#define DIM_THREAD_BLOCK_Y 8

__global__ void syrk(float *c, const float *a, int n, int m, float alpha, float beta) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    c[size_t(i) * n + j] *= beta;
    for (int k = 0; k < m; k++)
      c[size_t(i) * n + j] += alpha * a[size_t(i) * m + k] * a[size_t(j) * m + k];
  }
}

int main(int argc, char **argv) {
  const int n = argument(argc, argv, 1, 75), m = argument(argc, argv, 2, 40);
  const float alpha = 1.2f, beta = 0.6f;
  const std::vector<float> a = floats(size_t(n) * m, 26, 0), c = floats(size_t(n) * n, 27, 0);
  float *deviceA = toDevice(a), *deviceC = toDevice(c);

  dim3 block(DIM_THREAD_BLOCK_X, DIM_THREAD_BLOCK_Y);
  dim3 grid(blocksFor(n, DIM_THREAD_BLOCK_X), blocksFor(n, DIM_THREAD_BLOCK_Y));
  syrk<<<grid, block>>>(deviceC, deviceA, n, m, alpha, beta);
  const std::vector<float> got = toHost(deviceC, c.size());

  const auto wanted = [&](size_t at) {
    double sum = beta * double(c[at]);
    for (int k = 0; k < m; ++k)
      sum += alpha * double(a[at / n * m + k]) * a[at % n * m + k];
    return sum;
  };
  return verdict("syrk", got, agree(got, wanted, 5e-5, 20000));
}
