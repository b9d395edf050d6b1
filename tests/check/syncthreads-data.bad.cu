// expect: barrier/divergent at 14
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often a thread comes to the barrier depends on its data.
#include "Case.h"

__global__ void relax(const int *in, int *out) {
  __shared__ int cells[64];
  int i = threadIdx.x;
  cells[i] = in[i];
  __syncthreads();
  int turns = in[i] % 3;
  for (int turn = 0; turn < turns; ++turn) {
    cells[i] += turn;
    __syncthreads();
  }
  out[i] = cells[i];
}

int main() {
  relax<<<1, 64>>>(numbers(64), zeros(64));
  return finish();
}
