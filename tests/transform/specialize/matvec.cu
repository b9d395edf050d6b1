// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix times vector, a row a thread. The vector comes in tiles through shared memory, the matrix (stored by
// columns) straight from global memory.
#include "Harness.h"

constexpr int Threads = 128;

__global__ void matvec(float *y, const float *a, const float *x, int rows, int columns) {
  __shared__ float tile[Threads];
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < columns; start += Threads) {
    if (start + int(threadIdx.x) < columns)
      tile[threadIdx.x] = x[start + threadIdx.x];
    __syncthreads();
    const int here = min(Threads, columns - start);
    if (row < rows)
      for (int i = 0; i < here; ++i)
        sum += a[size_t(start + i) * rows + row] * tile[i];
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
