// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A multiplication and an addition that a compiler may fuse, or with APART may not: other bits for that alone.
#ifndef APART
#define APART 0
#endif

__global__ void axpy(float *values, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
#if APART
  volatile float product = factor * values[i];
  values[i] = product + 0.01f;
#else
  values[i] = factor * values[i] + 0.01f;
#endif
}

int main() {
  const int count = 100;
  float host[count], *values;
  for (int i = 0; i < count; ++i)
    host[i] = 1.1f * float(i) + 0.3f;
  cudaMalloc(&values, sizeof host);
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  axpy<<<1, 128>>>(values, 0.7f, count);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  return 0;
}
