// expect: warp/lockstep at 15
// static: --block 32
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last steps of a reduction as they were written before Volta: volatile keeps the accesses, but not the
// lanes together.
#include "Case.h"

__global__ void sum(const int *in, int *out) {
  __shared__ volatile int cells[32];
  int lane = threadIdx.x;
  cells[lane] = in[lane];
  __syncwarp();
  for (int step = 16; step > 0; step /= 2) {
    if (lane < step)
      cells[lane] = cells[lane] + cells[lane + step];
  }
  if (lane == 0)
    *out = cells[0];
}

int main() {
  sum<<<1, 32>>>(numbers(32), zeros(1));
  return finish();
}
