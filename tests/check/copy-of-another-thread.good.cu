// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier after the wait makes the copies everyone's.
#include "Case.h"

__global__ void reverse(const int *in, int *out) {
  __shared__ int cells[64];
  int i = threadIdx.x;
  CP_ASYNC_4(&cells[i], &in[i]);
  CP_ASYNC_COMMIT();
  CP_ASYNC_WAIT(0);
  __syncthreads();
  out[i] = cells[63 - i];
}

int main() {
  reverse<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
