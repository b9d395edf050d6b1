// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel whose warps read what others write with no barrier between: it races whatever is made of it.
#ifndef CHOICE
#define CHOICE 0
#endif

__global__ void turn(float *values) {
  __shared__ float kept[64];
  kept[threadIdx.x] = values[threadIdx.x];
  values[threadIdx.x] = kept[threadIdx.x] + 0 * kept[63 - threadIdx.x] + 0 * CHOICE;
}

int main() {
  float host[64], *values;
  for (int i = 0; i < 64; ++i)
    host[i] = float(i);
  cudaMalloc(&values, sizeof host);
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  turn<<<1, 64>>>(values);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  return 0;
}
