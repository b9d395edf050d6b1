// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All of it is.
#include "Case.h"

__global__ void shift(const int *in, int *out) {
  __shared__ int tile[64];
  int i = threadIdx.x;
  tile[i] = in[i];
  __syncthreads();
  out[i] = tile[(i + 1) % 64];
}

int main() {
  shift<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
