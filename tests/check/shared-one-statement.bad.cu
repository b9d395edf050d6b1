// expect: race/shared at 10
// hint: give each thread its own element
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads write the same element with one statement: no barrier can be between the two.
#include "Case.h"

__global__ void scatter(int *out) {
  __shared__ int tile[64];
  tile[threadIdx.x * 2 % 64] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x & ~1u];
}

int main() {
  scatter<<<1, 64>>>(zeros(64));
  return finish();
}
