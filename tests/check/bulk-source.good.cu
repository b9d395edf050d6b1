// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The copy has read it, as cp.async.bulk.wait_group.read ensures.
#include "Case.h"

__global__ void store(int *out) {
  __shared__ alignas(128) int cells[64];
  int i = threadIdx.x;
  for (int turn = 0; turn < 2; ++turn) {
    cells[i] = turn * 64 + i;
    PROXY_FENCE();
    __syncthreads();
    if (i == 0) {
      BULK_OUT(out + turn * 64, cells, 256);
      BULK_COMMIT();
      BULK_WAIT_READ();
    }
    __syncthreads();
  }
  if (i == 0)
    BULK_WAIT();
}

int main() {
  store<<<1, 64>>>(zeros(128));
  return finish();
}
