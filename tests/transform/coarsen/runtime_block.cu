// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block and grid are known at run time only; one dim3 serves two launches.
// args: 64 8
#include "Harness.h"

__global__ void first(int *out, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * width + x] = x * 1000 + y;
}
__global__ void second(int *out, const int *in, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * width + x] = in[y * width + (x ^ 1)];
}

int main(int argc, char **argv) {
  const int width = argc > 1 ? std::atoi(argv[1]) : 64, rows = argc > 2 ? std::atoi(argv[2]) : 8;
  const dim3 block(width / 2, rows);
  const dim3 grid(2, 3);
  const int count = width * rows * 3;
  int *a = zeros<int>(count), *b = zeros<int>(count);
  first<<<grid, block>>>(a, width);
  second<<<grid, block, 0, 0>>>(b, a, width);
  bring("second", b, count);
}
