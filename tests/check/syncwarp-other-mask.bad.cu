// expect: warp/mask at 13
// static: --block 32
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes that execute one __syncwarp() together give masks that differ and overlap.
#include "Case.h"

__global__ void overlapping(int *out) {
  __shared__ int tile[32];
  int lane = threadIdx.x;
  tile[lane] = lane;
  unsigned mask = lane < 16 ? 0x0000ffff : 0xffffffff;
  KEEP_STORES();
  __syncwarp(mask);
  out[lane] = tile[lane];
}

int main() {
  overlapping<<<1, 32>>>(zeros(32));
  return finish();
}
