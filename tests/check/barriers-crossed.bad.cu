// expect: deadlock/barrier at 9 and 12
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two warps synchronize at two barriers in opposite order: each waits where the other is not.
#include "Case.h"

__global__ void cross(int *out) {
  if (threadIdx.x < 32) {
    BAR_SYNC(1, 64);
    BAR_SYNC(2, 64);
  } else {
    BAR_SYNC(2, 64);
    BAR_SYNC(1, 64);
  }
  out[threadIdx.x] = 1;
}

int main() {
  cross<<<1, 64>>>(zeros(64));
  return finish();
}
