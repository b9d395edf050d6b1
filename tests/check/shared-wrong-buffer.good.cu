// expect: clean
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The consumer takes the buffer that belongs to the barrier.
#include "Case.h"

__global__ void pass(const int *in, int *out) {
  __shared__ int buffers[2][32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  buffers[warp][lane] = 0;
  __syncthreads();
  for (int turn = 0; turn < 6; ++turn) {
    int full = 1 + turn % 2, empty = 3 + turn % 2;
    if (warp == 0) {
      if (turn >= 2)
        BAR_SYNC(empty, 64);
      buffers[turn % 2][lane] = in[turn * 32 + lane];
      BAR_ARRIVE(full, 64);
    } else {
      BAR_SYNC(full, 64);
      out[turn * 32 + lane] = buffers[turn % 2][lane];
      if (turn < 4)
        BAR_ARRIVE(empty, 64);
    }
  }
}

int main() {
  pass<<<1, 64>>>(numbers(192), zeros(192));
  return finish();
}
