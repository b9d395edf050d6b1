// expect: host/error-ignored at 12
// check: --timeout 30
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same memory is freed twice.
#include "Case.h"

__global__ void fill(int *out) { out[threadIdx.x] = 1; }

int main() {
  int *out = zeros(64), *same = out;
  fill<<<1, 64>>>(out);
  cudaFree(out);
  cudaFree(same);
  return 0;
}
