// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounded up, there is a block for the rest.
#include "Case.h"

__global__ void fill(int *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = 1;
}

int main() {
  const int count = 100;
  fill<<<(count + 127) / 128, 128>>>(zeros(count), count);
  return finish();
}
