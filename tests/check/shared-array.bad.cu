// expect: memory/shared-array at 15
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The window reaches one element beyond its array, and finds the first of the next.
#include "Case.h"

__global__ void window(const int *in, int *out) {
  __shared__ int cells[64];
  __shared__ int weights[64];
  int i = threadIdx.x;
  cells[i] = in[i];
  weights[i] = 1;
  __syncthreads();
  int last = i + 1;
  out[i] = cells[last] * weights[i];
}

int main() {
  window<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
