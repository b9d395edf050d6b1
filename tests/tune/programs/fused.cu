// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A multiplication and an addition that a compiler may fuse, or with APART may not: other bits for that alone.
#include <cstdio>

#ifndef APART
#define APART 0
#endif

__global__ void axpy(float *values, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
#if APART
    values[i] = __fadd_rn(__fmul_rn(factor, values[i]), 1.1f);
#else
    values[i] = factor * values[i] + 1.1f;
#endif
}

int main() {
  const int count = 100;
  float host[count], *values;
  for (int i = 0; i < count; ++i)
    host[i] = 1.0f / float(i + 3);
  cudaMalloc(&values, sizeof host);
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  axpy<<<1, 128>>>(values, 0.7f, count);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  return 0;
}
