// expect: barrier/in-role at 13 and 15
// also: barrier/in-role at 15
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One warp has a __syncthreads() more than the other. It meets the other's at another line, and only because
// warps that have left count no more does the kernel end.
#include "Case.h"

__global__ void scale(const int *in, int *out) {
  __shared__ int factors[32];
  if (threadIdx.x < 32) {
    factors[threadIdx.x] = in[threadIdx.x] * 2;
    __syncthreads();
  }
  __syncthreads();
  out[threadIdx.x] = factors[threadIdx.x % 32];
}

int main() {
  scale<<<1, 64>>>(numbers(32), zeros(64));
  return finish();
}
