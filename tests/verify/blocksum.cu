// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of blocks by a tree.
#include <cstdio>
#include <vector>

constexpr int n = 512;

__global__ void blockSum(const int *x, int *y) {
  __shared__ int cells[128];
  cells[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  for (int step = 64; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step)
      cells[threadIdx.x] += cells[threadIdx.x + step];
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = cells[0];
}

int main() {
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = i % 19 + 1;
  int *a, *b;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMemset(b, 0, n * sizeof(int));
  cudaMemcpy(a, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  blockSum<<<4, 128>>>(a, b);
  cudaMemcpy(out.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("done\n");
  cudaFree(a);
  cudaFree(b);
}
