// expect: deadlock/mbarrier at 19
// hint: compare the arrivals
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An mbarrier for 64 arrivals gets 32.
#include "Case.h"

__global__ void pass(const int *in, int *out) {
  __shared__ alignas(8) unsigned long long full;
  __shared__ int cells[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    MBAR_INIT(&full, 64);
  __syncthreads();
  if (threadIdx.x < 32) {
    cells[lane] = in[lane];
    MBAR_ARRIVE(&full);
  } else {
    MBAR_WAIT(&full, 0);
    out[lane] = cells[31 - lane];
  }
}

int main() {
  pass<<<1, 64>>>(numbers(32), zeros(32));
  return finish();
}
