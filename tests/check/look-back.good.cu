// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value is released before its flag, and acquired after it.
#include "Case.h"

__global__ void prefix(const int *in, int *inclusive, int *flags, int *out) {
  int block = blockIdx.x, before = 0;
  if (block > 0) {
    while (atomicAdd(&flags[block - 1], 0) == 0)
      ;
    __threadfence();
    before = inclusive[block - 1];
  }
  inclusive[block] = before + in[block];
  __threadfence();
  atomicExch(&flags[block], 1);
  out[block] = before;
}

int main() {
  prefix<<<6, 1>>>(numbers(6), zeros(6), zeros(6), zeros(6));
  return finish();
}
