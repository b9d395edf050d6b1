// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch of its own resets the sum.
#include "Case.h"

__global__ void reset(int *total) { *total = 0; }

__global__ void sum(int *total) {
  if (threadIdx.x == 0)
    atomicAdd(total, 1);
}

int main() {
  int *total = zeros(1);
  reset<<<1, 1>>>(total);
  sum<<<4, 64>>>(total);
  return finish();
}
