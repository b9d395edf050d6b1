// expect: warp/mask at 10 or deadlock/warp at 10
// hint: mask
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mask names all lanes, but half of them come to another place, and wait there.
#include "Case.h"

__global__ void swap(const int *in, int *out) {
  int lane = threadIdx.x, value = in[lane];
  if (lane < 16)
    value = __shfl_xor_sync(0xffffffff, value, 1);
  __syncwarp();
  out[lane] = value;
}

int main() {
  swap<<<1, 32>>>(numbers(32), zeros(32));
  return finish();
}
