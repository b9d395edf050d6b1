// expect: clean
// static: --block 32
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __syncwarp() after reading and after writing.
#include "Case.h"

__global__ void sum(const int *in, int *out) {
  __shared__ volatile int cells[32];
  int lane = threadIdx.x;
  cells[lane] = in[lane];
  __syncwarp();
  for (int step = 16; step > 0; step /= 2) {
    int other = lane < step ? cells[lane + step] : 0;
    __syncwarp();
    cells[lane] = cells[lane] + other;
    __syncwarp();
  }
  if (lane == 0)
    *out = cells[0];
}

int main() {
  sum<<<1, 32>>>(numbers(32), zeros(1));
  return finish();
}
