// expect: race/global at 14 and 12
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A prefix over blocks, each waiting for the one before it. The value may come after the flag that announces
// it.
#include "Case.h"

__global__ void prefix(const int *in, int *inclusive, int *flags, int *out) {
  int block = blockIdx.x, before = 0;
  if (block > 0) {
    while (atomicAdd(&flags[block - 1], 0) == 0)
      ;
    before = inclusive[block - 1];
  }
  inclusive[block] = before + in[block];
  atomicExch(&flags[block], 1);
  out[block] = before;
}

int main() {
  prefix<<<6, 1>>>(numbers(6), zeros(6), zeros(6), zeros(6));
  return finish();
}
