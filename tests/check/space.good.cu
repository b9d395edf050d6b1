// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The load is generic, and finds out by itself.
#include "Case.h"

__global__ void load(int *out) {
  __shared__ int cell;
  cell = 5;
  __syncwarp();
  int value;
  asm volatile("ld.u32 %0, [%1];" : "=r"(value) : "l"(&cell) : "memory");
  *out = value;
}

int main() {
  load<<<1, 1>>>(zeros(1));
  return finish();
}
