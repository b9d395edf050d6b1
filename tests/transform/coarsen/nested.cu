// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers in nested loops, in branches that the block agrees on, in a while loop that is left early, in a do loop.
#include "Harness.h"

__global__ void rounds(float *out, const float *in, const int *plan, int n) {
  __shared__ float tile[64];
  __shared__ float total;
  const int me = threadIdx.x;
  float held = in[blockIdx.x * 64 + me];
  int round = 0;
  while (true) {
    int kind = plan[round];
    if (kind < 0)
      break;
    tile[me] = held;
    __syncthreads();
    if (kind == 0) {
      for (int hop = 1; hop < 64; hop *= 4) {
        float from = tile[(me + hop) % 64];
        __syncthreads();
        tile[me] = from * 0.5f;
        __syncthreads();
      }
      held += tile[me];
    } else if (kind == 1) {
      if (me == 0)
        total = tile[0] + tile[63];
      __syncthreads();
      held -= total;
    } else
      held = -held;
    __syncthreads();
    ++round;
    if (round == n)
      break;
  }
  int left = 3;
  do {
    tile[me] = held;
    __syncthreads();
    held = tile[63 - me];
    __syncthreads();
    --left;
  } while (left > 0);
  out[blockIdx.x * 64 + me] = held;
}

int main() {
  float *out = zeros<float>(64 * 3);
  rounds<<<3, 64>>>(out, input<float>(64 * 3), onDevice(std::vector<int>{0, 1, 2, 1, 0, 2, -1}), 10);
  bring("rounds", out, 64 * 3);
}
