// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// It stays until the copy has read.
#include "Case.h"

__global__ void store(int *out) {
  __shared__ alignas(128) int cells[64];
  int i = threadIdx.x;
  cells[i] = 3 * i;
  PROXY_FENCE();
  __syncthreads();
  if (i == 0) {
    BULK_OUT(out, cells, 256);
    BULK_COMMIT();
    BULK_WAIT_READ();
  }
}

int main() {
  store<<<1, 64>>>(zeros(64));
  return finish();
}
