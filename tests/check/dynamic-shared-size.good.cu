// expect: clean
// check: --timeout 20
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch states the number of bytes.
#include "Case.h"

__global__ void reverse(int *data) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main() {
  int *data = zeros(64);
  reverse<<<1, 64, 64 * sizeof(int)>>>(data);
  cudaDeviceSynchronize();
  return 0;
}
