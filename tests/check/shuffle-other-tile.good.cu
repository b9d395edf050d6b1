// expect: clean
// static: --block 32
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each half of a warp names itself in the mask, and lanes read from their own half.
#include "Case.h"

__global__ void halves(const int *in, int *out) {
  int lane = threadIdx.x;
  out[lane] = __shfl_xor_sync(lane & 16 ? 0xffff0000 : 0x0000ffff, in[lane], 8);
}

int main() {
  halves<<<1, 32>>>(numbers(32), zeros(32));
  return finish();
}
