// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ATAX, y = transpose(A) A x: two kernels, a row and then a column a thread.
//
// For consolidation: no barrier and no shared memory: 32 threads per block are just as right, and nothing is
// gained by them but blocks; the paper lost speed here until persistent warps gave the occupancy back. To be
// declined.
#include "Harness.h"

#define DIM_THREAD_BLOCK 256

__global__ void ataxRows(float *tmp, const float *a, const float *x, int nx, int ny) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nx) {
    float sum = 0;
    for (int j = 0; j < ny; j++)
      sum += a[size_t(i) * ny + j] * x[j];
    tmp[i] = sum;
  }
}

__global__ void ataxColumns(float *y, const float *a, const float *tmp, int nx, int ny) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny) {
    for (int i = 0; i < nx; i++)
      y[j] += a[size_t(i) * ny + j] * tmp[i];
  }
}

int main(int argc, char **argv) {
  const int nx = argument(argc, argv, 1, 90), ny = argument(argc, argv, 2, 700);
  const std::vector<float> a = floats(size_t(nx) * ny, 21, 0), x = floats(ny, 22, 0);
  float *deviceA = toDevice(a), *deviceX = toDevice(x), *tmp = zeros<float>(nx), *y = zeros<float>(ny);

  dim3 block(DIM_THREAD_BLOCK, 1);
  ataxRows<<<dim3(blocksFor(nx, block.x)), block>>>(tmp, deviceA, deviceX, nx, ny);
  ataxColumns<<<dim3(blocksFor(ny, block.x)), block>>>(y, deviceA, tmp, nx, ny);
  const std::vector<float> got = toHost(y, ny);

  std::vector<double> wanted(ny);
  for (int i = 0; i < nx; ++i) {
    double product = 0;
    for (int j = 0; j < ny; ++j)
      product += double(a[size_t(i) * ny + j]) * x[j];
    for (int j = 0; j < ny; ++j)
      wanted[j] += a[size_t(i) * ny + j] * product;
  }
  return verdict("atax", got, agree(got, [&](size_t j) { return wanted[j]; }, 5e-5));
}
