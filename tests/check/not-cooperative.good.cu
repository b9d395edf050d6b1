// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cooperative launch.
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
  void *arguments[] = {&data, &out};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(twice), dim3(2), dim3(32), arguments, 0, nullptr);
  return finish();
}
