// expect: race/shared at 13 and 17
// also: uninitialized/shared
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread 0 stores the initial value and adds to it; another warp adds too, and nothing orders its addition with the
// store. That thread 0 adds later hides nothing.
#include "Case.h"

__global__ void count(int *out) {
  __shared__ int counter;
  int i = threadIdx.x;
  if (i == 0) {
    counter = 5;
    KEEP_STORES();
  }
  if (i % 32 == 0)
    atomicAdd(&counter, 1);
  __syncthreads();
  out[i] = counter;
}

int main() {
  count<<<1, 64>>>(zeros(64));
  return finish();
}
