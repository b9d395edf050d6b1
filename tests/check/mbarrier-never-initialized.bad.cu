// expect: barrier/mbarrier-uninitialized at 9
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mbarrier is never initialized.
#include "Case.h"

__global__ void meet(int *out) {
  __shared__ alignas(8) unsigned long long barrier;
  MBAR_ARRIVE(&barrier);
  MBAR_WAIT(&barrier, 0);
  out[threadIdx.x] = 1;
}

int main() {
  meet<<<1, 64>>>(zeros(64));
  return finish();
}
