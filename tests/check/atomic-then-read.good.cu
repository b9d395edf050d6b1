// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same with a barrier.
#include "Case.h"

__global__ void count(const int *in, int *out) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = sum;
}

int main() {
  count<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
