// expect: barrier/no-waiter at 9
// hint: bar.sync
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both warps arrive and neither waits, so what follows is not ordered by anything.
#include "Case.h"

__global__ void meet(int *out) {
  BAR_ARRIVE(1, 64);
  out[threadIdx.x] = 1;
}

int main() {
  meet<<<1, 64>>>(zeros(64));
  return finish();
}
