// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// They are read after.
#include "Case.h"

__global__ void fetch(const int *in, int *out) {
  __shared__ alignas(128) int cells[64];
  __shared__ alignas(8) unsigned long long full;
  if (threadIdx.x == 0) {
    MBAR_INIT(&full, 1);
    PROXY_FENCE();
    MBAR_ARRIVE_EXPECT(&full, 256);
    BULK_IN(cells, in, 256, &full);
  }
  __syncthreads();
  MBAR_WAIT(&full, 0);
  out[threadIdx.x] = cells[63 - threadIdx.x];
}

int main() {
  fetch<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
