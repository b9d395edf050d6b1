// expect: async/proxy at 10 and 13
// hint: fence.proxy.async
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bulk copy reads what ordinary stores wrote, and no proxy fence is between the two.
#include "Case.h"

__global__ void store(int *out) {
  __shared__ alignas(128) int cells[64];
  int i = threadIdx.x;
  cells[i] = 3 * i;
  __syncthreads();
  if (i == 0) {
    BULK_OUT(out, cells, 256);
    BULK_COMMIT();
    BULK_WAIT();
  }
}

int main() {
  store<<<1, 64>>>(zeros(64));
  return finish();
}
