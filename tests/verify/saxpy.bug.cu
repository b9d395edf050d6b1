// differs: copy 1.*parameter .y. of scale.*.999. .float.: 1 in
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last element is left out.
#include <cstdio>
#include <vector>

constexpr int n = 1000;

__global__ void scale(const float *x, float *y, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count - 1)
    y[i] = 2 * x[i] + 1;
}

int main() {
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = float(i % 37 == 0 ? 0 : i % 37);
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  cudaMemcpy(a, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  scale<<<4, 256>>>(a, b, n);
  cudaMemcpy(out.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("done\n");
  cudaFree(a);
  cudaFree(b);
}
