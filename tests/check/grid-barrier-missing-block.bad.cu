// expect: deadlock/spin at 13
// hint: every block of the grid has to reach grid.sync()
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One block of a cooperative launch ends without coming to the barrier of the grid: the others never continue.
#include "Case.h"
#include <cooperative_groups.h>

__global__ void twice(int *data, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  if (blockIdx.x == 1)
    return;
  cooperative_groups::this_grid().sync();
  out[i] = data[95 - i];
}

int main() {
  int *data = zeros(96), *out = zeros(96);
  void *arguments[] = {&data, &out};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(twice), 3, 32, arguments, 0, nullptr);
  return finish();
}
