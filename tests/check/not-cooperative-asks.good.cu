// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that asks whether the grid has a barrier may be launched without one.
#include "Case.h"
#include <cooperative_groups.h>

__global__ void perhapsTogether(int *data) {
  auto grid = cooperative_groups::this_grid();
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  if (grid.is_valid())
    grid.sync();
}

int main() {
  perhapsTogether<<<2, 32>>>(zeros(64));
  return finish();
}
