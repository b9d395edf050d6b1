// expect: clean
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier between the two.
#include "Case.h"

__global__ void pick(int *out) {
  __shared__ int chosen;
  int i = threadIdx.x;
  chosen = 5;
  __syncthreads();
  if (i == 63)
    chosen = 7;
  __syncthreads();
  out[i] = chosen;
}

int main() {
  pick<<<1, 64>>>(zeros(64));
  return finish();
}
