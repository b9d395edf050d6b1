// expect: race/global at 9 and 11
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each block takes the sum of the block before, if it should be there already.
#include "Case.h"

__global__ void chain(const int *in, volatile int *sums, int *out) {
  int b = blockIdx.x;
  if (threadIdx.x == 0)
    sums[b] = in[b];
  if (threadIdx.x == 0 && b > 0)
    out[b] = sums[b - 1];
}

int main() {
  chain<<<4, 32>>>(numbers(4), zeros(4), zeros(4));
  return finish();
}
