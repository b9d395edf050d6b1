// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_runtime.h>

__global__ void race(int *out) {
  __shared__ int a[64], b[64];
  a[threadIdx.x] = 1 + threadIdx.x;
  b[threadIdx.x] = 2 + threadIdx.x;
  out[threadIdx.x] = a[63 - threadIdx.x];
  out[threadIdx.x] += b[63 - threadIdx.x];
}

int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  race<<<1, 64>>>(out);
  return cudaDeviceSynchronize();
}
