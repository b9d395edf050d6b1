// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every iteration commits a group, empty in the last one, so that one group may always stay under way.
#include "Case.h"

__global__ void sum(const int *in, int *out) {
  __shared__ int stages[2][64];
  int i = threadIdx.x, total = 0;
  CP_ASYNC_4(&stages[0][i], &in[i]);
  CP_ASYNC_COMMIT();
  for (int turn = 0; turn < 4; ++turn) {
    if (turn + 1 < 4) {
      CP_ASYNC_4(&stages[(turn + 1) % 2][i], &in[(turn + 1) * 64 + i]);
    }
    CP_ASYNC_COMMIT();
    CP_ASYNC_WAIT(1);
    total += stages[turn % 2][i];
  }
  CP_ASYNC_WAIT(0);
  out[i] = total;
}

int main() {
  sum<<<1, 64>>>(numbers(256), zeros(64));
  return finish();
}
