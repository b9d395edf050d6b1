// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops in which each thread goes through its own share of an array: by the block, by the grid, with bounds that fall
// anywhere, inside a loop around barriers, in a block of several rows.
// axes: x y xy
#include "Harness.h"

constexpr int Wide = 32, High = 16;

__global__ void folds(float *out, const float *in, int n, int rounds) {
  __shared__ float tile[High][Wide];
  const int tx = threadIdx.x;
  float sum = 0.0f, least = 1e30f;
  // by the grid
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i] * float(threadIdx.y + 1);
  for (int round = 0; round < rounds; ++round) {
    tile[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    // by the block, with the index in a variable
    for (int i = tx + round; i <= n - 3; i += blockDim.x) {
      float x = in[i];
      if (x < least)
        least = x;
      else
        least += 0.25f; // a comment of its own
    }
    sum += tile[High - 1 - threadIdx.y][Wide - 1 - threadIdx.x] + least;
    __syncthreads();
  }
  for (unsigned i = threadIdx.x; i < 5u; i += blockDim.x)
    if (in[i] > 0.0f)
      sum -= in[i];
  out[(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = sum;
}

int main() {
  float *out = zeros<float>(Wide * High * 3);
  folds<<<3, dim3(Wide, High)>>>(out, input<float>(1000), 977, 3);
  bring("folds", out, Wide * High * 3);
}
