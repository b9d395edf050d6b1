// expect: warp/lockstep at 8 and 9 or race/global at 8 and 9
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same through global memory.
#include "Case.h"

__global__ void reverse(int *cells, int *out) {
  int lane = threadIdx.x;
  cells[lane] = 3 * lane;
  out[lane] = cells[31 - lane];
}

int main() {
  reverse<<<1, 32>>>(zeros(32), zeros(32));
  return finish();
}
