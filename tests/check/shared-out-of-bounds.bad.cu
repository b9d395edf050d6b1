// expect: memory/out-of-bounds at 11
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last thread reads the shared cell after the last.
#include "Case.h"

__global__ void shift(const int *in, int *out) {
  __shared__ int cells[64];
  int i = threadIdx.x;
  cells[i] = in[i];
  __syncthreads();
  out[i] = cells[i + 1];
}

int main() {
  shift<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
