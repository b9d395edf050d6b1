// expect: barrier/mbarrier-parity at 26 or barrier/mbarrier-parity at 22 or deadlock/mbarrier
// hint: has parity 0
// also: race/shared
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The consumer waits for the phase before the first, as the producer does, and both go on at once: it reads
// what is not there yet.
#include "Case.h"

__global__ void pass(const int *in, int *out) {
  __shared__ alignas(8) unsigned long long full, empty;
  __shared__ int cells[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    MBAR_INIT(&full, 32);
    MBAR_INIT(&empty, 32);
  }
  cells[lane] = 0;
  __syncthreads();
  for (int turn = 0; turn < 4; ++turn)
    if (threadIdx.x < 32) {
      MBAR_WAIT(&empty, (turn & 1) ^ 1);
      cells[lane] = in[turn * 32 + lane];
      MBAR_ARRIVE(&full);
    } else {
      MBAR_WAIT(&full, (turn & 1) ^ 1);
      out[turn * 32 + lane] = cells[31 - lane];
      MBAR_ARRIVE(&empty);
    }
}

int main() {
  pass<<<1, 64>>>(numbers(128), zeros(128));
  return finish();
}
