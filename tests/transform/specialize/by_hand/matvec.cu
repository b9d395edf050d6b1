// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../matvec.cu with two buffers of the vector and cp.async of 16 bytes.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Threads = 128;

__global__ void matvec(float *y, const float *a, const float *x, int rows, int columns) {
  __shared__ alignas(16) float tile[2][Threads];
  const int row = blockIdx.x * blockDim.x + threadIdx.x;

  const auto copy = [&](int start, int buffer) {
    const int i = threadIdx.x * 4, there = min(columns - start - i, 4);
    if (i < Threads && there > 0)
      __pipeline_memcpy_async(&tile[buffer][i], &x[start + i], 16, 16 - 4 * there);
    __pipeline_commit();
  };

  float sum = 0;
  int buffer = 0;
  copy(0, 0);
  for (int start = 0; start < columns; start += Threads, buffer ^= 1) {
    copy(start + Threads, buffer ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    const int here = min(Threads, columns - start);
    if (row < rows)
      for (int i = 0; i < here; ++i)
        sum += a[size_t(start + i) * rows + row] * tile[buffer][i];
    __syncthreads();
  }
  if (row < rows)
    y[row] = sum;
}

int main(int argc, char **argv) {
  const int rows = sizeArgument(argc, argv, 1, 300), columns = sizeArgument(argc, argv, 2, 330);
  const std::vector<float> a = floats(size_t(rows) * columns, 1), x = floats(columns, 2);
  float *deviceA = toDevice(a), *deviceX = toDevice(x), *y = zeros<float>(rows);

  matvec<<<blocksFor(rows, Threads), Threads>>>(y, deviceA, deviceX, rows, columns);
  const std::vector<float> got = toHost(y, rows);

  const auto wanted = [&](size_t row) {
    double sum = 0;
    for (int i = 0; i < columns; ++i)
      sum += double(a[size_t(i) * rows + row]) * x[i];
    return sum;
  };
  return verdict("matvec", got, agree(got, wanted, 1e-4, 2000));
}
