// differs: copy 1.*.1. .float.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Row and column of the target are not exchanged.
#include <cstdio>
#include <vector>

constexpr int n = 1024;

__global__ void transpose(const float *x, float *y) {
  int row = threadIdx.y, column = threadIdx.x;
  y[row * 32 + column] = x[row * 32 + column];
}

int main() {
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = float(i);
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  cudaMemcpy(a, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  transpose<<<1, dim3(32, 32)>>>(a, b);
  cudaMemcpy(out.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("done\n");
  cudaFree(a);
  cudaFree(b);
}
