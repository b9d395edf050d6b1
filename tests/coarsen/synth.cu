// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each thread sums all elements that its block holds in shared memory: reuse between threads, and nothing else.
#include "Harness.h"

constexpr int Threads = 128;

__global__ void synth(float *sums, const float *in) {
  __shared__ float held[Threads];
  int i = blockIdx.x * Threads + threadIdx.x;
  held[threadIdx.x] = in[i];
  __syncthreads();
  float sum = 0.0f;
  for (int j = 0; j < Threads; ++j)
    sum += held[j];
  sums[i] = sum + in[i];
}

int main() {
  const int n = Threads * 4;
  float *sums = zeros<float>(n);
  synth<<<n / Threads, Threads>>>(sums, input<float>(n));
  bring("synth", sums, n);
}
