// expect: async/unwaited at 13
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread that started a bulk copy out of shared memory ends, and the block's memory with it.
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
  }
}

int main() {
  store<<<1, 64>>>(zeros(64));
  return finish();
}
