// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three kernels: one takes most of the time, one some, one next to nothing. The first two take fewer instructions coarsened.
#include <cstdio>

constexpr int Threads = 128;

__global__ void tiny(float *values) { values[threadIdx.x] += 1; }

__global__ void fill(float *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = float(i % 17);
}

__global__ void add(float *values, const float *more, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = values[i] + more[i];
}

int main() {
  const int count = 4000;
  static float host[count];
  float *values, *more;
  cudaMalloc(&values, sizeof host);
  cudaMalloc(&more, sizeof host);
  tiny<<<1, 32>>>(values);
  fill<<<(count + Threads - 1) / Threads, Threads>>>(values, count);
  fill<<<(count + Threads - 1) / Threads, Threads>>>(more, count);
  for (int i = 0; i < 6; ++i)
    add<<<(count + Threads - 1) / Threads, Threads>>>(values, more, count);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[999]);
  return 0;
}
