// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __syncwarp() orders the lanes' accesses to global memory too.
#include "Case.h"

__global__ void reverse(int *cells, int *out) {
  int lane = threadIdx.x;
  cells[lane] = 3 * lane;
  __syncwarp();
  out[lane] = cells[31 - lane];
}

int main() {
  reverse<<<1, 32>>>(zeros(32), zeros(32));
  return finish();
}
