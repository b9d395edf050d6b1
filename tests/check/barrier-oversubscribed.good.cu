// expect: clean
// static: --block 96
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The barrier is for three.
#include "Case.h"

__global__ void meet(int *out) {
  BAR_SYNC(1, 96);
  out[threadIdx.x] = 1;
}

int main() {
  meet<<<1, 96>>>(zeros(96));
  return finish();
}
