// expect: race/global at 9 and 11
// hint: blocks run in any order
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block reads its neighbour's cell, which that block may or may not have written yet.
#include "Case.h"

__global__ void blur(int *cells, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cells[i] = 3 * i;
  if (i >= 32)
    out[i] = cells[i - 32];
}

int main() {
  int *cells = zeros(128);
  blur<<<4, 32>>>(cells, zeros(128));
  return finish();
}
