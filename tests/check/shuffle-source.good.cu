// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A width of 16 keeps each lane among those that take part.
#include "Case.h"

__global__ void shift(const int *in, int *out) {
  int lane = threadIdx.x, value = in[lane];
  if (lane < 16)
    value = __shfl_down_sync(0x0000ffff, value, 8, 16);
  out[lane] = value;
}

int main() {
  shift<<<1, 32>>>(numbers(32), zeros(32));
  return finish();
}
