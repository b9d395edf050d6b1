// expect: race/global at 15 and 20
// hint: a fence with a flag
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The block that comes last adds up the others' results, which no fence puts before their tickets.
#include "Case.h"

__device__ unsigned tickets;

__global__ void sum(const int *in, int *partial, int *out) {
  __shared__ bool isLast;
  if (threadIdx.x == 0) {
    int mine = 0;
    for (int i = 0; i < 32; ++i)
      mine += in[blockIdx.x * 32 + i];
    partial[blockIdx.x] = mine;
    isLast = atomicAdd(&tickets, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast && threadIdx.x < 32) {
    int mine = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
    for (int step = 16; step > 0; step /= 2)
      mine += __shfl_down_sync(0xffffffff, mine, step);
    if (threadIdx.x == 0)
      *out = mine;
  }
}

int main() {
  sum<<<4, 64>>>(numbers(128), zeros(4), zeros(1));
  return finish();
}
