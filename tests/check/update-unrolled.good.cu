// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads add to the same bins, with an atomic that loses nothing.
#include "Case.h"

__global__ void count(const int *in, int *bins) {
  int i = threadIdx.x;
#pragma unroll 4
  for (int round = 0; round < 16; ++round)

    atomicAdd(&bins[(in[i] + round) % 8], round + 1);
}

int main() {
  count<<<1, 64>>>(numbers(64), zeros(8));
  return finish();
}
