// expect: memory/out-of-bounds at 10
// hint: dynamic shared memory has 64 bytes here: the third argument of <<<...>>> is its size in bytes
// check: --timeout 20
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch states the number of elements and not of bytes.
#include "Case.h"

__global__ void reverse(int *data) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main() {
  int *data = zeros(64);
  reverse<<<1, 64, 64>>>(data);
  cudaDeviceSynchronize();
  return 0;
}
