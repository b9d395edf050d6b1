// expect: race/global at 10 and 13
// also: warp/lockstep
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All threads of all blocks raise the flag; one of the last block lowers it again.
#include "Case.h"

__global__ void vote(const int *in, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > 0)
    *flag = 1;
  KEEP_STORES();
  if (i == 127)
    *flag = 0;
}

int main() {
  vote<<<2, 64>>>(numbers(128), zeros(1));
  return finish();
}
