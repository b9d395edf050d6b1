// expect: uninitialized/global at 7
// hint: cudaMemset
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel reads memory as cudaMalloc gave it.
#include "Case.h"

__global__ void count(int *cells) { cells[threadIdx.x] += 1; }

int main() {
  int *cells = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&cells), 32 * sizeof(int));
  count<<<1, 32>>>(cells);
  return finish();
}
