// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data decides what is done between barriers, not how many there are.
#include "Case.h"

__global__ void relax(const int *in, int *out) {
  __shared__ int cells[64];
  int i = threadIdx.x;
  cells[i] = in[i];
  __syncthreads();
  int turns = in[i] % 3;
  for (int turn = 0; turn < 3; ++turn) {
    if (turn < turns)
      cells[i] += turn;
    __syncthreads();
  }
  out[i] = cells[i];
}

int main() {
  relax<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
