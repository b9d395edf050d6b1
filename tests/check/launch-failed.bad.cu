// expect: host/launch-failed
// hint: 1024 threads per block
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of 2048 threads is not launched, and the error is not checked: the program ends as if all were well.
#include "Case.h"

__global__ void fill(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
  fill<<<1, 2048>>>(zeros(2048));
  cudaDeviceSynchronize();
  return 0;
}
