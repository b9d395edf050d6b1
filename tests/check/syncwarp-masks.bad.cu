// expect: deadlock/warp at 9 and 11 or warp/mask at 9 and 11
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two halves of a warp wait for a lane of each other, with masks that disagree.
#include "Case.h"

__global__ void halves(int *out) {
  int lane = threadIdx.x;
  if (lane < 16)
    __syncwarp(0x0001ffff);
  else
    __syncwarp(0xffff0001);
  out[lane] = 1;
}

int main() {
  halves<<<1, 32>>>(zeros(32));
  return finish();
}
