// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread that adds last clears the counter: it knows so by the result.
#include "Case.h"

__global__ void clear(int *out) {
  __shared__ int count;
  if (threadIdx.x == 0)
    count = 0;
  __syncthreads();
  if (threadIdx.x == 0 || threadIdx.x == 5)
    if (atomicAdd(&count, 1) == 1)
      count = 0;
  __syncthreads();
  out[threadIdx.x] = count;
}

int main() {
  clear<<<1, 64>>>(zeros(64));
  return finish();
}
