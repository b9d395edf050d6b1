// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multiply, then add: two roundings.
#include <cstdio>
#include <vector>

constexpr int n = 256;

__global__ void combine(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __fadd_rn(__fmul_rn(x[i], x[i]), 0.1f);
}

int main() {
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = 1.0f / float(i + 3);
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  cudaMemcpy(a, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  combine<<<2, 128>>>(a, b);
  cudaMemcpy(out.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("done\n");
  cudaFree(a);
  cudaFree(b);
}
