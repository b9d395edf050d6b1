// expect: clean
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table is a permutation.
#include "Case.h"

__device__ const int swap[4] = {3, 3, 3, 3};

__global__ void scatter(const int *in, int *out) {
  __shared__ int cells[64];
  int i = threadIdx.x;
  cells[i] = 0;
  __syncthreads();
  cells[i ^ swap[i & 3]] = i;
  __syncthreads();
  out[i] = cells[i] + in[i];
}

int main() {
  scatter<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
