// expect: uninitialized/shared at 13
// hint: shared memory is not initialized
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only the first half of the tile is filled.
#include "Case.h"

__global__ void shift(const int *in, int *out) {
  __shared__ int tile[64];
  int i = threadIdx.x;
  if (i < 32)
    tile[i] = in[i];
  __syncthreads();
  out[i] = tile[(i + 1) % 64];
}

int main() {
  shift<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
