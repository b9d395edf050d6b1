// expect: barrier/count at 10 and 12
// hint: same count
// static: --block 96
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two warps come to one barrier with different ideas of how many will.
#include "Case.h"

__global__ void meet(int *out) {
  if (threadIdx.x < 32)
    BAR_SYNC(1, 64);
  else if (threadIdx.x < 64)
    BAR_SYNC(1, 96);
  out[threadIdx.x] = 1;
}

int main() {
  meet<<<1, 96>>>(zeros(96));
  return finish();
}
