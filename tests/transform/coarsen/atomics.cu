// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics on shared and global memory, and a result that is used.
#include "Harness.h"

__global__ void compact(int *kept, int *count, int *bins, const int *in, int n) {
  __shared__ int local[16];
  __shared__ int held;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16)
    local[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    held = 0;
  __syncthreads();
  bool keep = i < n && in[i] > 0;
  if (keep) {
    atomicAdd(&held, 1);
    atomicAdd(&local[in[i] % 16], 1);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    kept[blockIdx.x] = held;
  if (threadIdx.x < 16)
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
  if (keep)
    atomicMax(count, in[i]);
}

int main() {
  const int n = 700, blocks = (n + 63) / 64;
  int *kept = zeros<int>(blocks), *count = zeros<int>(1), *bins = zeros<int>(16);
  compact<<<blocks, 64>>>(kept, count, bins, input<int>(n), n);
  bring("kept", kept, blocks);
  bring("count", count, 1);
  bring("bins", bins, 16);
}
