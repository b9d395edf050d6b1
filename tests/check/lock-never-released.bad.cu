// expect: deadlock/spin at 7
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who finds that there is nothing left to do keeps the lock.
#include "Case.h"

__global__ void take(int *lock, int *left) {
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  __threadfence();
  if (*left == 0)
    return;
  *left -= 1;
  __threadfence();
  atomicExch(lock, 0);
}

int main() {
  take<<<3, 1>>>(zeros(1), numbers(1));
  return finish();
}
