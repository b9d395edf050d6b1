// expect: memory/out-of-bounds at 9
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last thread writes one element beyond the end.
#include "Case.h"

__global__ void fill(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    out[i] = i;
}

int main() {
  fill<<<3, 32>>>(zeros(70), 70);
  return finish();
}
