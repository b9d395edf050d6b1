// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four blocks are two clusters of two.
#include "Case.h"

__global__ void fill(const int *in, int *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
}

int main() {
  inClusters(2, 4, 32, fill, numbers(32), zeros(128));
  return finish();
}
