// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sum of three neighbours, clamped at the ends.
#include <cstdio>
#include <vector>

constexpr int n = 512;

__global__ void stencil(const int *x, int *y, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int left = i > 0 ? i - 1 : 0;
  int right = i < count - 1 ? i + 1 : i;
  y[i] = x[left] + x[i] + x[right];
}

int main() {
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = i * i % 101;
  int *a, *b;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMemset(b, 0, n * sizeof(int));
  cudaMemcpy(a, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  stencil<<<4, 128>>>(a, b, n);
  cudaMemcpy(out.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("done\n");
  cudaFree(a);
  cudaFree(b);
}
