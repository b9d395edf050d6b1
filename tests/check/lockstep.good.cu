// expect: clean
// static: --block 32
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __syncwarp() is between writing and reading.
#include "Case.h"

__global__ void reverse(const int *in, int *out) {
  __shared__ int cells[32];
  int lane = threadIdx.x;
  cells[lane] = in[lane];
  __syncwarp();
  out[lane] = cells[31 - lane];
}

int main() {
  reverse<<<1, 32>>>(numbers(32), zeros(32));
  return finish();
}
