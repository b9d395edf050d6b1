// expect: host/launch-failed
// hint: have to be resident at once
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cooperative launch of more blocks than fit on any device.
#include "Case.h"

__global__ void fill(int *out) { out[threadIdx.x] = 1; }

int main() {
  int *out = zeros(32);
  void *arguments[] = {&out};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(fill), dim3(1 << 20), dim3(32), arguments, 0, 0);
  return 0;
}
