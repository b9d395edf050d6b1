// expect: race/global at 13
// hint: use atomicAdd()
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads add to the same bins. The loop is unrolled: the load and the store that meet belong to different copies
// of one statement, and still no barrier helps.
#include "Case.h"

__global__ void count(const int *in, int *bins) {
  int i = threadIdx.x;
#pragma unroll 4
  for (int round = 0; round < 16; ++round)

    bins[(in[i] + round) % 8] += round + 1;
}

int main() {
  count<<<1, 64>>>(numbers(64), zeros(8));
  return finish();
}
