// expect: barrier/divergent at 13
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole warp goes round the barrier and on to the code after it. It ends soon, and then the barrier lets
// the others pass: by luck, since it may also return to this barrier or to another.
#include "Case.h"

__global__ void shift(const int *in, int *out) {
  __shared__ int cells[64];
  int i = threadIdx.x;
  cells[i] = in[i];
  if (i < 32)
    __syncthreads();
  out[i] = cells[i];
}

int main() {
  shift<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
