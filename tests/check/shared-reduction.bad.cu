// expect: race/shared at 15
// static: --block 128
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tree reduction without a barrier between its steps: the first steps race between warps, the last ones
// trust in lanes that run in lockstep. That is one finding.
#include "Case.h"

__global__ void sum(const int *in, int *out) {
  __shared__ int cells[128];
  int i = threadIdx.x;
  cells[i] = in[i];
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (i < step)
      cells[i] += cells[i + step];
  }
  if (i == 0)
    *out = cells[0];
}

int main() {
  sum<<<1, 128>>>(numbers(128), zeros(1));
  return finish();
}
