// expect: barrier/oversubscribed at 10
// hint: count every warp
// also: deadlock/barrier
// static: --block 96
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three warps come to a barrier for two.
#include "Case.h"

__global__ void meet(int *out) {
  BAR_SYNC(1, 64);
  out[threadIdx.x] = 1;
}

int main() {
  meet<<<1, 96>>>(zeros(96));
  return finish();
}
