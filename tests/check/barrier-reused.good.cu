// expect: clean
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The consumer signals at a second barrier that it is ready for the next.
#include "Case.h"

__global__ void pass(const int *in, int *out) {
  __shared__ int cells[2][32];
  int lane = threadIdx.x % 32;
  for (int turn = 0; turn < 2; ++turn)
    if (threadIdx.x < 32) {
      cells[turn][lane] = in[turn * 32 + lane];
      if (turn > 0)
        BAR_SYNC(2, 64);
      BAR_ARRIVE(1, 64);
    } else {
      BAR_SYNC(1, 64);
      out[turn * 32 + lane] = cells[turn][lane];
      if (turn == 0)
        BAR_ARRIVE(2, 64);
    }
}

int main() {
  pass<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
