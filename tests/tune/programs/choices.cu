// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with something wrong for each value of CHOICE but 0: what a tuner must survive.
#include <cstdio>
#include <cstdlib>

#ifndef CHOICE
#define CHOICE 0
#endif
#if CHOICE == 4
#error this choice does not compile
#endif

__global__ void scale(float *values, int count, volatile int *stop) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#if CHOICE == 1
  while (!*stop)
    values[i % count] += 1; // a loop that only waits would be called a deadlock
#endif
  if (i < count)
    values[CHOICE == 6 ? i + (1 << 28) : i] = values[i] * (CHOICE == 3 && i == 77 ? 2.5f : 2.0f);
}

int main() {
  const int count = 100;
  float host[count], *values;
  int *stop;
  for (int i = 0; i < count; ++i)
    host[i] = float(i);
  cudaMalloc(&values, sizeof host);
  cudaMalloc(&stop, sizeof(int));
  cudaMemset(stop, 0, sizeof(int));
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  scale<<<4, 32>>>(values, count, stop);
#if CHOICE == 2
  std::abort();
#endif
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[99]);
  return CHOICE == 5 ? 3 : 0;
}
