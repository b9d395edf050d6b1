// expect: race/global at 9
// hint: use atomicAdd()
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks count into the same bins with plain additions.
#include "Case.h"

__global__ void histogram(const int *in, int *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bins[in[i] % 32] += 1;
}

int main() {
  histogram<<<4, 32>>>(numbers(128), zeros(32));
  return finish();
}
