// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that return before barriers, by ones and in whole blocks.
#include "Harness.h"

constexpr int Threads = 64;

__global__ void smooth(float *out, const float *in, const float *scale, int n) {
  __shared__ float tile[Threads];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0.0f;
  if (i >= n)
    return;
  float factor = scale[blockIdx.x]; // out of bounds where the whole block is beyond the end
  __syncthreads();
  float left = threadIdx.x > 0 ? tile[threadIdx.x - 1] : 0.0f;
  __syncthreads();
  if (in[i] < 0.0f) {
    out[i] = -1.0f;
    return;
  }
  tile[threadIdx.x] = left * factor;
  __syncthreads();
  for (int step = 0; step < 3; ++step) {
    if (threadIdx.x % 7 == step)
      return;
    tile[threadIdx.x] += 1.0f;
    __syncthreads();
  }
  out[i] = tile[threadIdx.x] + factor;
}

int main() {
  const int n = 1000, blocks = (n + Threads - 1) / Threads;
  float *out = zeros<float>(n);
  smooth<<<blocks + 2, Threads>>>(out, input<float>(n), input<float>(blocks, 3), n);
  bring("smooth", out, n);
}
