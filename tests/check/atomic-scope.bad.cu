// expect: race/global at 7
// hint: scope of the device
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics of block scope on a counter that two blocks share.
#include "Case.h"

__global__ void count(int *counter) { atomicAdd_block(counter, 1); }

int main() {
  count<<<2, 32>>>(zeros(1));
  return finish();
}
