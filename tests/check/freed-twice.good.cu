// expect: clean
// check: --timeout 30
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each piece of memory is freed once.
#include "Case.h"

__global__ void fill(int *out) { out[threadIdx.x] = 1; }

int main() {
  int *out = zeros(64), *same = zeros(64);
  fill<<<1, 64>>>(out);
  cudaFree(out);
  cudaFree(same);
  return 0;
}
