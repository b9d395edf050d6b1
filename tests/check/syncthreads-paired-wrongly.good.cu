// expect: clean
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both warps come to each __syncthreads().
#include "Case.h"

__global__ void scale(const int *in, int *out) {
  __shared__ int factors[32];
  if (threadIdx.x < 32) {
    factors[threadIdx.x] = in[threadIdx.x] * 2;
  }
  __syncthreads();
  out[threadIdx.x] = factors[threadIdx.x % 32];
}

int main() {
  scale<<<1, 64>>>(numbers(32), zeros(64));
  return finish();
}
