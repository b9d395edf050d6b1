// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each half waits for itself.
#include "Case.h"

__global__ void halves(int *out) {
  int lane = threadIdx.x;
  if (lane < 16)
    __syncwarp(0x0000ffff);
  else
    __syncwarp(0xffff0000);
  out[lane] = 1;
}

int main() {
  halves<<<1, 32>>>(zeros(32));
  return finish();
}
