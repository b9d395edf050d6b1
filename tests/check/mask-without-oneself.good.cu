// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mask names them all.
#include "Case.h"

__global__ void count(const int *in, int *out) {
  int lane = threadIdx.x;
  out[lane] = __popc(__ballot_sync(0xffffffff, in[lane] % 3 == 0));
}

int main() {
  count<<<1, 32>>>(numbers(32), zeros(32));
  return finish();
}
