// expect: memory/stack
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recursion that needs more stack than a thread has.
#include "Case.h"

__device__ __noinline__ int visit(const int *outer, int depth) {
  int cells[16];
  for (int i = 0; i < 16; ++i)
    cells[i] = outer[15 - i] + depth;
  return depth == 0 ? cells[outer[0] & 15] : visit(cells, depth - 1) + cells[depth & 15];
}

__global__ void start(int *out, int depth) {
  int cells[16];
  for (int i = 0; i < 16; ++i)
    cells[i] = out[i];
  out[0] = visit(cells, depth);
}

int main() {
  start<<<1, 1>>>(zeros(16), 100000);
  return finish();
}
