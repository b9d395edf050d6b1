// expect: host/launch-failed
// hint: bytes of shared memory per block
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More shared memory than a block has without asking for it.
#include "Case.h"

__global__ void fill(int *out) {
  extern __shared__ int cells[];
  cells[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = cells[threadIdx.x];
}

int main() {
  fill<<<1, 64, 100 * 1024>>>(zeros(64));
  cudaDeviceSynchronize();
  return 0;
}
