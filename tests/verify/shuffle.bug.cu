// differs: copy 1.*.0. .float.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last step of the sum is missing.
#include <cstdio>
#include <vector>

constexpr int n = 96;

__global__ void warpSum(const float *x, float *y) {
  float sum = x[threadIdx.x];
  for (int step = 16; step > 1; step /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, step);
  y[threadIdx.x] = sum;
}

int main() {
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = float(i % 37) * float(0.5);
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  cudaMemcpy(a, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  warpSum<<<1, 96>>>(a, b);
  cudaMemcpy(out.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("done\n");
  cudaFree(a);
  cudaFree(b);
}
