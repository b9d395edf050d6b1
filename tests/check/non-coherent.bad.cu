// expect: memory/non-coherent at 13 and 10
// hint: leave out __restrict__
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the block has written is read back through the read-only path, which need not see it: the barrier does
// not help.
#include "Case.h"

__global__ void smooth(int *data, int *out) {
  int i = threadIdx.x;
  data[i] = data[i] + 1;
  __syncthreads();
  if (i > 0)
    out[i] = __ldg(&data[i - 1]);
}

int main() {
  smooth<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
