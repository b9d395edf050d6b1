// expect: race/global at 8 and 14
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The writer has its fence, the reader does not: its read of the data may be done before that of the flag.
#include "Case.h"

__global__ void handOver(int *data, volatile int *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
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
