// expect: clean
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A second barrier at the end of the iteration keeps the tile until everyone has read it.
#include "Case.h"

__global__ void sumOfReversed(const int *in, int *out) {
  __shared__ int tile[64];
  int i = threadIdx.x, sum = 0;
  for (int turn = 0; turn < 4; ++turn) {
    tile[i] = in[turn * 64 + i];
    __syncthreads();
    sum += tile[63 - i];
    __syncthreads();
  }
  out[i] = sum;
}

int main() {
  sumOfReversed<<<1, 64>>>(numbers(256), zeros(64));
  return finish();
}
