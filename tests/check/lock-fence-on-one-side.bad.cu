// expect: race/global at 10 and 10
// hint: if a lock is held here, a __threadfence() after it is taken
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who leaves the lock has a fence, who takes it has none: atomicCAS() is relaxed.
#include "Case.h"

__global__ void count(int *lock, int *value) {
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  *value = *value + 1;
  __threadfence();
  atomicExch(lock, 0);
}

int main() {
  count<<<2, 1>>>(zeros(1), zeros(1));
  return finish();
}
