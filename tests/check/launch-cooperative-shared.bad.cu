// expect: host/launch-failed
// hint: bytes of shared memory per block
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cooperative launch with more shared memory than a block has without asking for it: its one block would be resident.
#include "Case.h"

__global__ void fill(int *out) {
  extern __shared__ int cells[];
  cells[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = cells[threadIdx.x];
}

int main() {
  int *out = zeros(64);
  void *arguments[] = {&out};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(fill), dim3(1), dim3(64), arguments, 100 * 1024,
                              0);
  return 0;
}
