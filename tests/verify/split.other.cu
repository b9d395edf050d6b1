// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "split.h"

__global__ void scaleKernel(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = p[i] + p[i];
}

void scale(float *p, int n) { scaleKernel<<<(n + 63) / 64, 64>>>(p, n); }
