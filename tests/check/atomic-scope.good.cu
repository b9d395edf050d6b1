// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics of device scope.
#include "Case.h"

__global__ void count(int *counter) { atomicAdd(counter, 1); }

int main() {
  count<<<2, 32>>>(zeros(1));
  return finish();
}
