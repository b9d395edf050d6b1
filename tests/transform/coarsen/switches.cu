// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A switch around barriers that all threads agree on, and one that each thread takes its own way through.
#include "Harness.h"

__global__ void machine(int *__restrict__ out, const int *__restrict__ program, int steps) {
  __shared__ int state[64];
  int me = threadIdx.x;
  state[me] = me;
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    int mine = 0;
    switch (program[step]) {
    case 0:
      mine = state[(me + 1) % 64];
      __syncthreads();
      state[me] = mine;
      break;
    case 1:
    case 2: {
      mine = state[63 - me] + program[step];
      __syncthreads();
      state[me] = mine;
      break;
    }
    default:
      state[me] += 1;
    }
    __syncthreads();
    switch (state[me] % 3) {
    case 0: mine += 5; break;
    case 1: mine -= 2; [[fallthrough]];
    default: mine *= 2;
    }
    out[step * 64 + me] = mine;
  }
  out[steps * 64 + me] = state[me];
}

int main() {
  const std::vector<int> program = {0, 1, 7, 2, 0, 0, 3, 1};
  const int steps = int(program.size());
  int *out = zeros<int>((steps + 1) * 64);
  machine<<<1, 64>>>(out, onDevice(program), steps);
  bring("machine", out, (steps + 1) * 64);
}
