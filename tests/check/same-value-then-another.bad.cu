// expect: race/shared at 14 and 17
// hint: __syncthreads() between the two
// also: warp/lockstep
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All threads store the same value, which is harmless, and then one of them another one. It is the thread
// that came last, so the other threads' stores must not be forgotten for its own.
#include "Case.h"

__global__ void pick(int *out) {
  __shared__ int chosen;
  int i = threadIdx.x;
  KEEP_STORES();
  chosen = 5;
  KEEP_STORES();
  if (i == 63)
    chosen = 7;
  __syncthreads();
  out[i] = chosen;
}

int main() {
  pick<<<1, 64>>>(zeros(64));
  return finish();
}
