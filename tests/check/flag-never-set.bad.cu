// expect: deadlock/spin at 14
// hint: the thread that should write the polled memory
// also: deadlock/barrier
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp spins on a flag in shared memory that another warp sets only after a barrier with the first.
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
    BAR_SYNC(1, 64);
    if (threadIdx.x == 32)
      flag = 1;
  }
  out[threadIdx.x] = 1;
}

int main() {
  handOver<<<1, 64>>>(zeros(64));
  return finish();
}
