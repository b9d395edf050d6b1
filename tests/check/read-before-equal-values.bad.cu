// expect: race/global at 11 and 8
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread reads an element and replaces it, and others store the same value: that does not hide the read from them.
#include "Case.h"

__global__ void take(int *first, int *out) {
  if (threadIdx.x == 0)
    out[0] = first[0];
  KEEP_STORES();
  if (threadIdx.x % 32 == 0)
    first[0] = 5;
}

int main() {
  take<<<1, 64>>>(numbers(1), zeros(1));
  return finish();
}
