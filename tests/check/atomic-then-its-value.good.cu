// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread clears a counter after the others have added to it.
#include "Case.h"

__global__ void clear(const int *in, int *out) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  KEEP_STORES();
  if (threadIdx.x == 32)
    atomicAdd(&sum, in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  out[threadIdx.x] = sum;
}

int main() {
  clear<<<1, 64>>>(zeros(64), zeros(64));
  return finish();
}
