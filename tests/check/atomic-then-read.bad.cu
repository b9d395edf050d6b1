// expect: race/shared at 13 and 14
// hint: __syncthreads()
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counter is read by lanes of the warp that updates it last, and by another warp: that needs a barrier, not a __syncwarp().
#include "Case.h"

__global__ void count(const int *in, int *out) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[threadIdx.x]);
  out[threadIdx.x] = sum;
}

int main() {
  count<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
