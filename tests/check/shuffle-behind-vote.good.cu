// expect: clean
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All lanes of a warp go where the vote says.
#include "Case.h"

__global__ void fold(const int *in, int *out) {
  int value = in[threadIdx.x];
  bool isLarge = value > 3;

  if (__any_sync(0xffffffff, isLarge))
    value += __shfl_xor_sync(0xffffffff, value, 1);
  out[threadIdx.x] = value;
}

int main() {
  fold<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
