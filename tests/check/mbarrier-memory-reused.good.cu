// expect: clean
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everyone has left it, and mbarrier.inval ends it, before its memory is used again.
#include "Case.h"

__global__ void meet(int *out) {
  __shared__ alignas(8) unsigned long long barrier;
  if (threadIdx.x == 0)
    MBAR_INIT(&barrier, 64);
  __syncthreads();
  MBAR_ARRIVE(&barrier);
  MBAR_WAIT(&barrier, 0);
  __syncthreads();
  if (threadIdx.x == 0) {
    MBAR_INVAL(&barrier);
    barrier = 5;
  }
  __syncthreads();
  out[threadIdx.x] = int(barrier);
}

int main() {
  meet<<<1, 64>>>(zeros(64));
  return finish();
}
