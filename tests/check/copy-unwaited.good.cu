// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not needed is not copied, or waited for all the same.
#include "Case.h"

__global__ void fetch(const int *in, int *out) {
  __shared__ int cells[128];
  int i = threadIdx.x;
  CP_ASYNC_4(&cells[i], &in[i]);
  CP_ASYNC_COMMIT();
  CP_ASYNC_4(&cells[64 + i], &in[64 + i]);
  CP_ASYNC_COMMIT();
  CP_ASYNC_WAIT(1);
  out[i] = cells[i];
  CP_ASYNC_WAIT(0);
}

int main() {
  fetch<<<1, 64>>>(numbers(128), zeros(64));
  return finish();
}
