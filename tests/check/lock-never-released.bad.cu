// expect: deadlock/spin at 7
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who gets the lock keeps it.
#include "Case.h"

__global__ void count(int *lock, int *value) {
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  __threadfence();
  *value += 1;
}

int main() {
  count<<<2, 1>>>(zeros(1), zeros(1));
  return finish();
}
