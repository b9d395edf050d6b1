// expect: host/launch-failed
// hint: the grid has no blocks
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounded down, 100 elements need no block of 128 threads: nothing is launched.
#include "Case.h"

__global__ void fill(int *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = 1;
}

int main() {
  const int count = 100;
  fill<<<count / 128, 128>>>(zeros(count), count);
  return finish();
}
