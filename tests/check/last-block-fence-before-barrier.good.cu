// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All threads of a block have a fence and then a barrier, after which one of them takes the ticket.
#include "Case.h"

__device__ unsigned tickets;

__global__ void sum(const int *in, volatile int *partial, int *out) {
  __shared__ bool isLast;
  partial[blockIdx.x * 64 + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    isLast = atomicAdd(&tickets, 1) == gridDim.x - 1;
  __syncthreads();
  if (isLast && threadIdx.x < 32)
    for (unsigned i = threadIdx.x; i < gridDim.x * 64; i += 32)
      atomicAdd(out, partial[i]);
}

int main() {
  sum<<<4, 64>>>(numbers(256), zeros(256), zeros(1));
  return finish();
}
