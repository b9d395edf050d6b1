// expect: race/global at 8 and 13
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A volatile flag says that the data is there, but nothing keeps data and flag in order.
#include "Case.h"

__global__ void handOver(int *data, volatile int *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 42;
    *flag = 1;
  } else {
    while (*flag == 0)
      ;
    *out = *data;
  }
}

int main() {
  handOver<<<2, 1>>>(zeros(1), zeros(1), zeros(1));
  return finish();
}
