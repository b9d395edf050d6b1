// expect: clean
// static: --block 128
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that have returned are not waited for: a barrier is for those that are left, also in a warp that
// only some lanes left.
#include "Case.h"

__global__ void reverse(const int *in, int *out) {
  __shared__ int cells[128];
  int i = threadIdx.x;
  if (i >= 80)
    return;
  cells[i] = in[i];
  __syncthreads();
  out[i] = cells[79 - i];
}

int main() {
  reverse<<<1, 128>>>(numbers(80), zeros(80));
  return finish();
}
