// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who asks may go on with a smaller block.
#include "Case.h"

__global__ void fill(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
  int *out = zeros(2048);
  fill<<<1, 2048>>>(out);
  if (cudaGetLastError() != cudaSuccess)
    fill<<<2, 1024>>>(out);
  return finish();
}
