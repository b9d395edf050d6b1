// expect: warp/lockstep at 11 and 12
// hint: __syncwarp() between the two
// static: --block 32
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes of a warp exchange values through shared memory and trust that they run in lockstep.
#include "Case.h"

__global__ void reverse(const int *in, int *out) {
  __shared__ int cells[32];
  int lane = threadIdx.x;
  cells[lane] = in[lane];
  out[lane] = cells[31 - lane];
}

int main() {
  reverse<<<1, 32>>>(numbers(32), zeros(32));
  return finish();
}
