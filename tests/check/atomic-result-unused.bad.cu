// expect: warp/lockstep at 15 and 13
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread adds to a counter and then clears it, without knowing whether the other one has added yet.
#include "Case.h"

__global__ void clear(int *out) {
  __shared__ int count;
  if (threadIdx.x == 0)
    count = 0;
  __syncthreads();
  if (threadIdx.x == 0 || threadIdx.x == 5)
    atomicAdd(&count, 1);
  if (threadIdx.x == 5)
    count = 0;
  __syncthreads();
  out[threadIdx.x] = count;
}

int main() {
  clear<<<1, 64>>>(zeros(64));
  return finish();
}
