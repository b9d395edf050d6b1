// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// It is asked for.
#include "Case.h"

__global__ void fill(int *out) {
  extern __shared__ int cells[];
  cells[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = cells[threadIdx.x];
}

int main() {
  cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024);
  fill<<<1, 64, 100 * 1024>>>(zeros(64));
  return finish();
}
