// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fence after taking the lock and before giving it back.
#include "Case.h"

__global__ void count(int *lock, int *value) {
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  __threadfence();
  *value += 1;
  __threadfence();
  atomicExch(lock, 0);
}

int main() {
  count<<<4, 1>>>(zeros(1), zeros(1));
  return finish();
}
