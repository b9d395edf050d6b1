// expect: barrier/not-cooperative at 13
// hint: cudaLaunchCooperativeKernel
// static: --block 32
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid has no barrier unless the launch says so.
#include "Case.h"
#include <cooperative_groups.h>

__global__ void twice(int *data, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;

  cooperative_groups::this_grid().sync();
  out[i] = data[63 - i];
}

int main() {
  int *data = zeros(64), *out = zeros(64);
  twice<<<2, 32>>>(data, out);
  return finish();
}
