// expect: async/unwaited at 11
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel ends with a copy under way that no thread waits for.
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
}

int main() {
  fetch<<<1, 64>>>(numbers(128), zeros(64));
  return finish();
}
