// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel before another, a block's size by name, and a grid that is computed from it.
#include <cstdio>

constexpr int Threads = 128;

__global__ void fill(float *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = float(i % 17);
}

template <class T> __global__ void add(T *values, const T *more, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = values[i] + more[i];
}

int main() {
  const int count = 1000;
  float host[count], *values, *more;
  cudaMalloc(&values, sizeof host);
  cudaMalloc(&more, sizeof host);
  fill<<<(count + Threads - 1) / Threads, Threads>>>(values, count);
  fill<<<(count + Threads - 1) / Threads, Threads>>>(more, count);
  add<<<(count + Threads - 1) / Threads, Threads>>>(values, more, count);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[999]);
  return 0;
}
