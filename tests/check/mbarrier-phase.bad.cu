// expect: barrier/mbarrier-phase at 23
// also: race/shared, deadlock/mbarrier
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The phase bit starts over with each tile, but three steps leave the mbarriers in an odd phase.
#include "Case.h"

__global__ void pass(const int *in, int *out) {
  __shared__ alignas(8) unsigned long long full;
  __shared__ int cells[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    MBAR_INIT(&full, 32);
  cells[lane] = 0;
  __syncthreads();
  for (int tile = 0; tile < 2; ++tile) {
    unsigned phase = 0;
    for (int step = 0; step < 3; ++step, phase ^= 1) {
      if (threadIdx.x < 32) {
        cells[lane] = in[(tile * 3 + step) * 32 + lane];
        MBAR_ARRIVE(&full);
      } else {
        MBAR_WAIT(&full, phase);
        out[(tile * 3 + step) * 32 + lane] = cells[31 - lane];
      }
      __syncthreads();
    }
  }
}

int main() {
  pass<<<1, 64>>>(numbers(192), zeros(192));
  return finish();
}
