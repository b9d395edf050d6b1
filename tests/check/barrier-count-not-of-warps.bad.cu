// expect: barrier/count at 8
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier for 48 threads: barriers count whole warps.
#include "Case.h"

__global__ void meet(int *out) {
  BAR_SYNC(1, 48);
  out[threadIdx.x] = 1;
}

int main() {
  meet<<<1, 64>>>(zeros(64));
  return finish();
}
