// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread reads an element, and after a barrier all store the same value.
#include "Case.h"

__global__ void take(int *first, int *out) {
  if (threadIdx.x == 0)
    out[0] = first[0];
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    first[0] = 5;
}

int main() {
  take<<<1, 64>>>(numbers(1), zeros(1));
  return finish();
}
