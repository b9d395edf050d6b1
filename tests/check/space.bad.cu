// expect: memory/space at 11
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The address of a shared variable is given to a load from global memory.
#include "Case.h"

__global__ void load(int *out) {
  __shared__ int cell;
  cell = 5;
  __syncwarp();
  int value;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(&cell) : "memory");
  *out = value;
}

int main() {
  load<<<1, 1>>>(zeros(1));
  return finish();
}
