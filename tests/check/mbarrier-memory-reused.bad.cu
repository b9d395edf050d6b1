// expect: race/shared at 13 and 15 or barrier/mbarrier-invalid at 15 or barrier/mbarrier-invalid at 13
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mbarrier's memory becomes data while another warp may still wait at it.
#include "Case.h"

__global__ void meet(int *out) {
  __shared__ alignas(8) unsigned long long barrier;
  if (threadIdx.x == 0)
    MBAR_INIT(&barrier, 64);
  __syncthreads();
  MBAR_ARRIVE(&barrier);
  MBAR_WAIT(&barrier, 0);
  if (threadIdx.x == 0) {
    barrier = 5;
  }
  __syncthreads();
  out[threadIdx.x] = int(barrier);
}

int main() {
  meet<<<1, 64>>>(zeros(64));
  return finish();
}
