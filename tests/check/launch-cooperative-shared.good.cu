// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory is asked for.
#include "Case.h"

__global__ void fill(int *out) {
  extern __shared__ int cells[];
  cells[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = cells[threadIdx.x];
}

int main() {
  int *out = zeros(64);
  void *arguments[] = {&out};
  cudaFuncSetAttribute(reinterpret_cast<const void *>(fill), cudaFuncAttributeMaxDynamicSharedMemorySize,
                       100 * 1024);
  cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(fill), dim3(1), dim3(64), arguments, 100 * 1024,
                              0);
  return finish();
}
