// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flag is set before the barrier.
#include "Case.h"

__global__ void handOver(int *out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    while (flag == 0)
      ;
    __threadfence_block();
    BAR_SYNC(1, 64);
  } else {
    if (threadIdx.x == 32)
      flag = 1;
    BAR_SYNC(1, 64);
  }
  out[threadIdx.x] = 1;
}

int main() {
  handOver<<<1, 64>>>(zeros(64));
  return finish();
}
