// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flag is polled, a fence is on either side of it, and the data is volatile as well.
#include "Case.h"

__global__ void chain(const int *in, volatile int *sums, volatile int *ready, int *out) {
  int b = blockIdx.x;
  if (threadIdx.x > 0)
    return;
  sums[b] = in[b];
  __threadfence();
  ready[b] = 1;
  if (b == 0)
    return;
  while (ready[b - 1] == 0)
    ;
  __threadfence();
  out[b] = sums[b - 1];
}

int main() {
  chain<<<4, 32>>>(numbers(4), zeros(4), zeros(4), zeros(4));
  return finish();
}
