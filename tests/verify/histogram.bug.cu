// differs: copy 1.*parameter .y. of histogram.*.int32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One bin too few.
#include <cstdio>
#include <vector>

constexpr int n = 300;

__global__ void histogram(const int *x, int *y, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    atomicAdd(&y[x[i] % 15], 1);
}

int main() {
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = i * 7 + 15;
  int *a, *b;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMemset(b, 0, n * sizeof(int));
  cudaMemcpy(a, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  histogram<<<3, 128>>>(a, b, n);
  cudaMemcpy(out.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("done\n");
  cudaFree(a);
  cudaFree(b);
}
