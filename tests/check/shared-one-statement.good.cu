// expect: clean
// static: --block 64
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each thread has its own element.
#include "Case.h"

__global__ void scatter(int *out) {
  __shared__ int tile[64];
  tile[threadIdx.x * 3 % 64] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

int main() {
  scatter<<<1, 64>>>(zeros(64));
  return finish();
}
