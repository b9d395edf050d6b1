// expect: race/global at 8 and 9
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of one block hand values over through global memory without a barrier.
#include "Case.h"

__global__ void reverse(int *cells, int *out) {
  int i = threadIdx.x;
  cells[i] = 3 * i;
  out[i] = cells[127 - i];
}

int main() {
  reverse<<<1, 128>>>(zeros(128), zeros(128));
  return finish();
}
