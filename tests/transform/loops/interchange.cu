// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that change places: with and without braces, a wave that runs along both axes, an element of its own for each
// pair, bounds that are known only at run time.
#include "../coarsen/Harness.h"

__global__ void transposed(float *__restrict__ out, const float *__restrict__ in, int rows, int columns) {
  out += threadIdx.x * rows * columns;
#pragma heddle interchange
  for (int i = 0; i < rows; ++i) {
    // row by row
    for (int j = 0; j < columns; j++) {
      float value = in[i * columns + j];
      out[i * columns + j] = value * threadIdx.x;
    }
  }
}
// becomes: for (int j = 0; j < columns; j++) {

/// Each element from the one above and the one to the left: both loops may come first.
__global__ void wave(float *grid) {
  float *own = grid + threadIdx.x * 256;
#pragma heddle interchange
  for (int i = 1; i < 16; ++i)
    for (int j = 15; j >= 1; --j)
      own[i * 16 + j] += own[(i - 1) * 16 + j] * 0.5f;
}
// becomes: for (int j = 15; j >= 1; --j)

__global__ void sums(unsigned *bins, const unsigned *__restrict__ in, int n) {
  unsigned local[8] = {};
#pragma heddle interchange
  for (unsigned k = 0; k < 8; ++k) {
    for (int i = 0; i < n; ++i)
      local[k] += in[i] >> k;
  }
  for (int k = 0; k < 8; ++k)
    atomicAdd(&bins[k], local[k]);
}

int main() {
  float *out = zeros<float>(8 * 7 * 13);
  transposed<<<1, 8>>>(out, input<float>(7 * 13), 7, 13);
  bring("transposed", out, 8 * 7 * 13);
  float *grid = input<float>(4 * 256);
  wave<<<1, 4>>>(grid);
  bring("wave", grid, 4 * 256);
  unsigned *bins = zeros<unsigned>(8);
  sums<<<1, 4>>>(bins, input<unsigned>(40), 40);
  bring("sums", bins, 8);
}
