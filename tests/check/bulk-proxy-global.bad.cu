// expect: async/proxy at 11 and 17
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bulk copy fetches from global memory what the block's own stores wrote, and no proxy fence is between
// the two.
#include "Case.h"

__global__ void again(int *data, int *out) {
  __shared__ alignas(128) int cells[64];
  __shared__ alignas(8) unsigned long long full;
  int i = threadIdx.x;
  data[i] = 3 * i;
  if (i == 0)
    MBAR_INIT(&full, 1);
  __syncthreads();
  if (i == 0) {
    MBAR_ARRIVE_EXPECT(&full, 256);
    BULK_IN(cells, data, 256, &full);
  }
  MBAR_WAIT(&full, 0);
  out[i] = cells[63 - i];
}

int main() {
  again<<<1, 64>>>(zeros(64), zeros(64));
  return finish();
}
