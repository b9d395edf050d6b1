// expect: uninitialized/local at 10
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread's own array has eight cells, of which seven are filled.
#include "Case.h"

__global__ void pick(const int *in, int *out, int count, int which) {
  int cells[8];
  for (int i = 0; i < count; ++i)
    cells[in[i] & 7] = in[i + threadIdx.x];
  out[threadIdx.x] = cells[which];
}

int main() {
  pick<<<1, 32>>>(numbers(64), zeros(32), 7, 0);
  return finish();
}
