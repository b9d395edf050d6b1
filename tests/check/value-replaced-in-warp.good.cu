// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lane 0 stores 0, and after barriers of its warp lane 1 and then lane 0 store 1. Warp 1 stores 1 as well, after
// a barrier of the block: only the stores of 1 are unordered.
#include "Case.h"

__global__ void replace(int *out) {
  __shared__ int flag;
  int i = threadIdx.x;
  if (i == 0)
    flag = 9;
  __syncthreads();
  KEEP_STORES();
  if (i == 0)
    flag = 0;
  __syncthreads();
  if (i == 1)
    flag = 1;
  __syncwarp();
  KEEP_STORES();
  if (i == 0 || i == 63)
    flag = 1;
  __syncthreads();
  out[i] = flag;
}

int main() {
  replace<<<1, 64>>>(zeros(64));
  return finish();
}
