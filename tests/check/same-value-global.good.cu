// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flag is lowered by a launch of its own.
#include "Case.h"

__global__ void vote(const int *in, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > 0)
    *flag = 1;
}

__global__ void lower(int *flag) { *flag = 0; }

int main() {
  int *flag = zeros(1);
  vote<<<2, 64>>>(numbers(128), flag);
  lower<<<1, 1>>>(flag);
  return finish();
}
