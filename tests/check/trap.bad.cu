// expect: memory/fault at 9
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel meets what its author thought to be impossible.
#include "Case.h"

__global__ void root(const int *in, int *out) {
  int value = in[threadIdx.x];
  if (value > 16)
    __trap();
  out[threadIdx.x] = 16 - value;
}

int main() {
  root<<<1, 32>>>(numbers(32), zeros(32));
  return finish();
}
