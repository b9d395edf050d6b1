// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four blocks are resident at once on every device.
#include "Case.h"

__global__ void fill(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
  int *out = zeros(128);
  void *arguments[] = {&out};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(fill), dim3(4), dim3(32), arguments, 0, 0);
  return finish();
}
