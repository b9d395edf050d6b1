// expect: async/source at 10 and 14
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A buffer is filled again while a bulk copy may still read it.
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
