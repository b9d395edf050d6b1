// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same with a grid that is rounded down, which is right for multiples of 32 only.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void fill(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = i * i;
}

int main(int, char **words) {
  int n = std::atoi(words[1]), *p;
  if (n < 1 || n == 13)
    return 5;
  std::vector<int> host(n);
  cudaMalloc(&p, n * sizeof(int));
  cudaMemset(p, 0, n * sizeof(int));
  fill<<<n / 32, 32>>>(p, n);
  cudaMemcpy(host.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d of them\n", n);
}
