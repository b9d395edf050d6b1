// expect: clean
// static: --block 128
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier after each step.
#include "Case.h"

__global__ void sum(const int *in, int *out) {
  __shared__ int cells[128];
  int i = threadIdx.x;
  cells[i] = in[i];
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (i < step)
      cells[i] += cells[i + step];
    __syncthreads();
  }
  if (i == 0)
    *out = cells[0];
}

int main() {
  sum<<<1, 128>>>(numbers(128), zeros(1));
  return finish();
}
