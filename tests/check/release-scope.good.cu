// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Release and acquire at device scope.
#include "Case.h"

#define SCOPE "gpu"

__global__ void handOver(int *data, int *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 42;
    asm volatile("st.release." SCOPE ".global.u32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
  } else {
    int seen = 0;
    while (seen == 0)
      asm volatile("ld.acquire." SCOPE ".global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    *out = *data;
  }
}

int main() {
  handOver<<<2, 1>>>(zeros(1), zeros(1), zeros(1));
  return finish();
}
