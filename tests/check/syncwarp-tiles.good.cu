// expect: clean
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The halves of a warp synchronize in one instruction, each with its own mask, and each reads what its own lanes wrote.
#include "Case.h"

__global__ void halves(int *out) {
  __shared__ int tile[64];
  int i = threadIdx.x;
  tile[i] = i;
  __syncwarp(i & 16 ? 0xffff0000 : 0x0000ffff);
  out[i] = tile[i ^ 15];
}

int main() {
  halves<<<1, 64>>>(zeros(64));
  return finish();
}
