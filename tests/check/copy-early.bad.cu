// expect: async/early at 12 and 10
// hint: cp.async.wait_group
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread reads what it had copied before it waited for the copy.
#include "Case.h"

__global__ void fetch(const int *in, int *out) {
  __shared__ int cells[64];
  int i = threadIdx.x;
  CP_ASYNC_4(&cells[i], &in[i]);
  CP_ASYNC_COMMIT();
  out[i] = cells[i];
  CP_ASYNC_WAIT(0);
}

int main() {
  fetch<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
