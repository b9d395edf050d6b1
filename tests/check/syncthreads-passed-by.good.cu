// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that end count as having come to every barrier, whatever they did before they ended.
#include "Case.h"

__global__ void shift(const int *in, int *out) {
  __shared__ int cells[64];
  int i = threadIdx.x;
  if (i >= 40) {
    out[i] = 0;
    return;
  }
  cells[i] = in[i];
  __syncthreads();
  out[i] = cells[39 - i];
}

int main() {
  shift<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
