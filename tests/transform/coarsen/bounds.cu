// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __launch_bounds__, shared memory sized by the block at run time, blockDim as a whole, block-stride loops.
#include "Harness.h"

__global__ void __launch_bounds__(128) gather(float *out, const float *in, int n) {
  extern __shared__ float staged[];
  const dim3 size = blockDim;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    staged[i] = in[blockIdx.x * n + i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += size.x)
    out[blockIdx.x * n + i] = staged[n - 1 - i] + float(blockDim.x) + float(size.x);
}

int main() {
  const int n = 200, blocks = 5;
  float *out = zeros<float>(n * blocks);
  gather<<<blocks, 128, n * sizeof(float)>>>(out, input<float>(n * blocks), n);
  bring("gather", out, n * blocks);
}
