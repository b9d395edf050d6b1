// expect: barrier/mbarrier-invalid at 11
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mbarrier is initialized again while it is one: mbarrier.inval has to come before.
#include "Case.h"

__global__ void meet(int *out) {
  __shared__ alignas(8) unsigned long long barrier;
  for (int turn = 0; turn < 2; ++turn) {
    if (threadIdx.x == 0)
      MBAR_INIT(&barrier, 64);
    __syncthreads();
    MBAR_ARRIVE(&barrier);
    MBAR_WAIT(&barrier, 0);
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}

int main() {
  meet<<<1, 64>>>(zeros(64));
  return finish();
}
