// expect: race/global at 12 and 18
// also: race/global at 13 and 17
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// st.release and ld.acquire of block scope between two blocks order nothing. That they touch one flag is a
// race of its own.
#include "Case.h"

#define SCOPE "cta"

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
