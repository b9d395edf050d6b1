// expect: race/global at 9
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock without fences: who gets it need not see what its last owner wrote.
#include "Case.h"

__global__ void count(int *lock, int *value) {
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  *value += 1;
  atomicExch(lock, 0);
}

int main() {
  count<<<4, 1>>>(zeros(1), zeros(1));
  return finish();
}
