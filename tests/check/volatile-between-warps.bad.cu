// expect: race/shared at 11 and 12
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// volatile keeps the accesses where they are and orders nothing: whether warp 0 has stored when warp 1 loads
// is up to the schedule.
#include "Case.h"

__global__ void reverse(const int *in, int *out) {
  __shared__ volatile int cells[64];
  int i = threadIdx.x;
  cells[i] = in[i];
  out[i] = cells[63 - i];
}

int main() {
  reverse<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
