// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of all forms, unrolled and jammed: trip counts that divide and do not, known and not, up and down; statements
// before, between and after the loops inside; three loops deep; a variable that only one stretch uses; templates.
// args: 37 19
#include "../coarsen/Harness.h"

__global__ void product(float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
#pragma heddle unroll-jam factor=4
  for (int column = 0; column < n; ++column) {
    float sum = 0.0f; // one for each column
    // along the row
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
  }
}
// becomes: for (; column + 3LL < n; column += 4) {
// becomes: sum3 += a[row * n + k] * b[k * n + column + 3];
// becomes: for (; column < n; ++column) {

/// Rows as the threads come to them, and a count in one place only.
__global__ void strided(float *__restrict__ out, const float *__restrict__ in, int *__restrict__ counts, int rows, int columns) {
  int done = 0;
#pragma heddle unroll-jam factor=3
  for (int i = threadIdx.x; i < rows; i += blockDim.x) {
    float least = in[i * columns], most = least;
    for (int j = 1; j < columns; ++j) {
      float value = in[i * columns + j];
      least = fminf(least, value);
      most = fmaxf(most, value);
    }
    float mean = 0.0f;
    for (int j = 0; j < columns; ++j)
      mean += in[i * columns + j];
    if (most > least)
      ++done;
    out[i] = mean / columns + (most - least);
  }
  counts[threadIdx.x] = done;
}
// becomes: const int i1 = i + blockDim.x;
// becomes: float least2 = in[i2 * columns], most2 = least2;

/// Downwards, by two, with <=, with !=, and a count that divides.
__global__ void forms(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[24][24];
  for (int i = 0; i < 24; ++i)
    tile[i][threadIdx.x] = in[i * 24 + threadIdx.x];
  __syncthreads();
  float *own = out + threadIdx.x * 128;
#pragma heddle unroll-jam factor=2
  for (int i = 20; i > 2; i -= 3)
    for (int j = 0; j < 24; ++j)
      own[i] += tile[i][j] * tile[j][i];
#pragma heddle unroll-jam factor=4
  for (unsigned i = 1; i <= 23; i += 2) {
    for (int j = 23; j >= 0; --j)
      own[24 + i] += tile[j][i];
  }
#pragma heddle unroll-jam factor=5
  for (long long i = 0; i != 24; ++i) {
    float product = 1.0f;
    for (int j = 0; j < 24; ++j) {
      for (int k = 0; k < 3; ++k)
        product = product * 0.5f + tile[i][j] * k;
      product += tile[j][i];
    }
    own[64 + i] = product;
  }
}
// becomes: for (long long i = 0; i < 20; i += 5) {
// becomes: for (long long i = 20; i != 24; ++i) {
// becomes: for (unsigned i = 1; i <= 23; i += 8) {

template <class T, int Columns> __global__ void columns(T *__restrict__ out, const T *__restrict__ in, int n) {
#pragma heddle unroll-jam factor=2
  for (int c = 0; c < Columns; ++c) {
    T total = 0;
    for (int i = threadIdx.x; i < n; i += 32)
      total += in[i * Columns + c];
    out[threadIdx.x * Columns + c] = total;
  }
}

int main(int, char **argv) {
  int n = std::atoi(argv[1]), rows = std::atoi(argv[2]);
  float *in = input<float>(64 * 64), *other = input<float>(64 * 64, 2), *out = zeros<float>(64 * 64);
  product<<<(n + 31) / 32, 32>>>(out, in, other, n);
  bring("product", out, n * n);
  int *counts = zeros<int>(8);
  strided<<<1, 8>>>(out, in, counts, rows, 11);
  bring("strided", out, rows);
  bring("counts", counts, 8);
  float *forms24 = zeros<float>(24 * 128);
  forms<<<1, 24>>>(forms24, in);
  bring("forms", forms24, 24 * 128);
  columns<float, 5><<<1, 32>>>(out, in, 100);
  columns<int, 6><<<1, 32>>>(zeros<int>(32 * 6), input<int>(700), 100);
  bring("columns", out, 32 * 5);
}
