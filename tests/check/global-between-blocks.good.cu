// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is read was written by an earlier kernel.
#include "Case.h"

__global__ void fill(int *cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cells[i] = 3 * i;
}

__global__ void blur(const int *cells, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 32)
    out[i] = cells[i - 32];
}

int main() {
  int *cells = zeros(128);
  fill<<<4, 32>>>(cells);
  blur<<<4, 32>>>(cells, zeros(128));
  return finish();
}
