// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of two files; the kernel is in the other one.
#include "split.h"

int main() {
  float *p, host[100];
  for (int i = 0; i < 100; ++i)
    host[i] = float(i);
  cudaMalloc(&p, sizeof host);
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  scale(p, 100);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
}
