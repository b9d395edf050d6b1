// expect: warp/shuffle-source at 10
// hint: let all lanes that are read from participate
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sixteen lanes shuffle, and half of them read from the sixteen that do not.
#include "Case.h"

__global__ void shift(const int *in, int *out) {
  int lane = threadIdx.x, value = in[lane];
  if (lane < 16)
    value = __shfl_down_sync(0x0000ffff, value, 8);
  out[lane] = value;
}

int main() {
  shift<<<1, 32>>>(numbers(32), zeros(32));
  return finish();
}
