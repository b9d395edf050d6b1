// expect: barrier/mbarrier-count at 17
// hint: number of arrivals per phase
// also: race/shared, deadlock/mbarrier
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 64 threads arrive at an mbarrier for 32: the first half ends the phase before the second has come.
#include "Case.h"

__global__ void reverse(const int *in, int *out) {
  __shared__ alignas(8) unsigned long long barrier;
  __shared__ int cells[64];
  if (threadIdx.x == 0)
    MBAR_INIT(&barrier, 32);
  cells[threadIdx.x] = 0;
  __syncthreads();
  cells[threadIdx.x] = in[threadIdx.x];
  MBAR_ARRIVE(&barrier);
  MBAR_WAIT(&barrier, 0);
  out[threadIdx.x] = cells[63 - threadIdx.x];
}

int main() {
  reverse<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
