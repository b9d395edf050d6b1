// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every block comes to the barrier of the grid; the one that has nothing to do leaves after it.
#include "Case.h"
#include <cooperative_groups.h>

__global__ void twice(int *data, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 1)
    return;
  out[i] = data[95 - i];
}

int main() {
  int *data = zeros(96), *out = zeros(96);
  void *arguments[] = {&data, &out};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(twice), 3, 32, arguments, 0, nullptr);
  return finish();
}
