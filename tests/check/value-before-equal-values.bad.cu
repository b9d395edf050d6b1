// expect: warp/lockstep at 13 and 15 or race/shared at 13 and 15
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each thread stores its number to its element, and then all store 7 to the first one. The stores of 7 are equal; they race
// with the store of thread 0 before.
#include "Case.h"

__global__ void mark(int *out) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i] = 0;
  __syncthreads();
  s[i] = i + 1;
  KEEP_STORES();
  s[0] = 7;
  __syncthreads();
  out[i] = s[i];
}

int main() {
  mark<<<1, 64>>>(zeros(64));
  return finish();
}
