// expect: clean
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both execute the same number of iterations.
#include "Case.h"

__global__ void pass(const int *in, int *out) {
  __shared__ int cells[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int turn = 0; turn < 4; ++turn) {
      if (turn > 0)
        BAR_SYNC(2, 64);
      cells[lane] = in[turn * 32 + lane];
      BAR_ARRIVE(1, 64);
    }
  } else {
    for (int turn = 0; turn < 4; ++turn) {
      BAR_SYNC(1, 64);
      out[turn * 32 + lane] = cells[lane];
      if (turn < 3)
        BAR_ARRIVE(2, 64);
    }
  }
}

int main() {
  pass<<<1, 64>>>(numbers(128), zeros(128));
  return finish();
}
