// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __syncthreads() orders accesses to global memory within the block too.
#include "Case.h"

__global__ void reverse(int *cells, int *out) {
  int i = threadIdx.x;
  cells[i] = 3 * i;
  __syncthreads();
  out[i] = cells[127 - i];
}

int main() {
  reverse<<<1, 128>>>(zeros(128), zeros(128));
  return finish();
}
