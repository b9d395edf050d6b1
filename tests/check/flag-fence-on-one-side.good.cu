// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader has a fence too.
#include "Case.h"

__global__ void handOver(int *data, volatile int *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0)
      ;
    __threadfence();
    *out = *data;
  }
}

int main() {
  handOver<<<2, 1>>>(zeros(1), zeros(1), zeros(1));
  return finish();
}
