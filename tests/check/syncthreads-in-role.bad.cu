// expect: barrier/in-role at 15
// hint: named barriers
// also: deadlock/barrier
// static: --block 96
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The producer warp calls __syncthreads() in its own role, which no other warp reaches, while the consumers wait
// for it at a named barrier.
#include "Case.h"

__global__ void pass(const int *in, int *out) {
  __shared__ int cells[32], scratch[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    scratch[lane] = in[lane];
    __syncthreads();
    cells[lane] = scratch[31 - lane];
    BAR_ARRIVE(1, 96);
  } else {
    BAR_SYNC(1, 96);
    out[threadIdx.x - 32] = cells[lane];
  }
}

int main() {
  pass<<<1, 96>>>(numbers(32), zeros(64));
  return finish();
}
