// expect: race/global at 10 and 11
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first block resets the sum that all blocks add to. Nothing orders that with the additions of other blocks, and that
// the first block adds later hides nothing.
#include "Case.h"

__global__ void sum(int *total) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0)
      *total = 0;
    atomicAdd(total, 1);
  }
}

int main() {
  sum<<<4, 64>>>(zeros(1));
  return finish();
}
