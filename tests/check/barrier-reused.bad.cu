// expect: barrier/reused at 16
// hint: before arriving again
// also: deadlock/barrier, race/shared
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The producer arrives a second time without knowing that the consumer left the first round: two arrivals of
// its own may complete the barrier.
#include "Case.h"

__global__ void pass(const int *in, int *out) {
  __shared__ int cells[2][32];
  int lane = threadIdx.x % 32;
  for (int turn = 0; turn < 2; ++turn)
    if (threadIdx.x < 32) {
      cells[turn][lane] = in[turn * 32 + lane];
      BAR_ARRIVE(1, 64);
    } else {
      BAR_SYNC(1, 64);
      out[turn * 32 + lane] = cells[turn][lane];
    }
}

int main() {
  pass<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
