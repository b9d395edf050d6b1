// expect: barrier/divergent at 13
// hint: move the barrier out of the branch
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Half of a warp comes to __syncthreads(), the other half does not.
#include "Case.h"

__global__ void shift(const int *in, int *out) {
  __shared__ int cells[64];
  int i = threadIdx.x;
  cells[i] = in[i];
  if (i < 48)
    __syncthreads();
  out[i] = cells[i];
}

int main() {
  shift<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
