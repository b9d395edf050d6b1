// expect: warp/shuffle-source at 11, warp/mask at 11
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes go where their own value says; the mask names all of them.
#include "Case.h"

__global__ void fold(const int *in, int *out) {
  int value = in[threadIdx.x];
  bool isLarge = value > 3;

  if (isLarge)
    value += __shfl_xor_sync(0xffffffff, value, 1);
  out[threadIdx.x] = value;
}

int main() {
  fold<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
