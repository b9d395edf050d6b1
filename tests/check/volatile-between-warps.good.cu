// expect: clean
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With a barrier volatile is harmless.
#include "Case.h"

__global__ void reverse(const int *in, int *out) {
  __shared__ volatile int cells[64];
  int i = threadIdx.x;
  cells[i] = in[i];
  __syncthreads();
  out[i] = cells[63 - i];
}

int main() {
  reverse<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
