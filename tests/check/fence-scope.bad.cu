// expect: race/global at 8 and 15
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fence for the block is where other blocks look.
#include "Case.h"

__global__ void handOver(int *data, int *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence_block();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0)
      ;
    __threadfence();
    *out = *data;
  }
}

int main() {
  handOver<<<2, 1>>>(zeros(1), zeros(1), zeros(1));
  return finish();
}
