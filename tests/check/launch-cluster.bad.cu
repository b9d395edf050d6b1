// expect: host/launch-failed
// hint: multiple of the cluster's (2 x 1 x 1)
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three blocks are no number of clusters of two.
#include "Case.h"

__global__ void fill(const int *in, int *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
}

int main() {
  inClusters(2, 3, 32, fill, numbers(32), zeros(96));
  return 0;
}
