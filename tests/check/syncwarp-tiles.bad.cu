// expect: warp/lockstep at 10 and 12
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The halves of a warp synchronize in one instruction, each with its own mask: that orders nothing between the halves.
#include "Case.h"

__global__ void halves(int *out) {
  __shared__ int tile[64];
  int i = threadIdx.x;
  tile[i] = i;
  __syncwarp(i & 16 ? 0xffff0000 : 0x0000ffff);
  out[i] = tile[i ^ 16];
}

int main() {
  halves<<<1, 64>>>(zeros(64));
  return finish();
}
