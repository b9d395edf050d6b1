// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight are filled.
#include "Case.h"

__global__ void pick(const int *in, int *out, int count, int which) {
  int cells[8];
  for (int i = 0; i < count; ++i)
    cells[in[i] & 7] = in[i + threadIdx.x];
  out[threadIdx.x] = cells[which];
}

int main() {
  pick<<<1, 32>>>(numbers(64), zeros(32), 8, 0);
  return finish();
}
