// expect: race/shared at 10 and 11
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread reads what a thread of the other warp wrote, with nothing between the two.
#include "Case.h"

__global__ void reverse(const int *in, int *out) {
  __shared__ int tile[64];
  int i = threadIdx.x;
  tile[i] = in[i];
  out[i] = tile[63 - i];
}

int main() {
  reverse<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
