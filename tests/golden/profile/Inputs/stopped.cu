// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

__global__ void fine(int *out) { out[threadIdx.x] = 1; }

__global__ void outside(int *out, int offset) { out[threadIdx.x + offset] = 1; }

__global__ void waits(int *flag, int *out) {
  while (atomicAdd(flag, 0) == 0) {
  }
  out[threadIdx.x] = 1;
}

int main(int count, char **words) {
  const char which = count > 1 ? words[1][0] : 'f';
  int *out = nullptr, *flag = nullptr;
  cudaMalloc(&out, 256);
  cudaMalloc(&flag, 4);
  cudaMemset(flag, 0, 4);
  if (which != 'w')
    fine<<<1, 64>>>(out);
  if (which == 'o')
    outside<<<1, 64>>>(out, 1 << 30);
  if (which == 'w')
    waits<<<1, 64>>>(flag, out);
  cudaDeviceSynchronize();
}
