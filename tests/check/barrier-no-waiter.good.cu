// expect: clean
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One of them waits.
#include "Case.h"

__global__ void meet(int *out) {
  if (threadIdx.x < 32)
    BAR_ARRIVE(1, 64);
  else
    BAR_SYNC(1, 64);
  out[threadIdx.x] = 1;
}

int main() {
  meet<<<1, 64>>>(zeros(64));
  return finish();
}
