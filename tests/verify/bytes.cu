// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes inverted.
#include <cstdio>
#include <vector>

constexpr int n = 256;

__global__ void invert(const unsigned char *x, unsigned char *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = x[i];
  y[i] = (unsigned char)(value >> 1);
}

int main() {
  std::vector<unsigned char> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = (unsigned char)i;
  unsigned char *a, *b;
  cudaMalloc(&a, n * sizeof(unsigned char));
  cudaMalloc(&b, n * sizeof(unsigned char));
  cudaMemset(b, 0, n * sizeof(unsigned char));
  cudaMemcpy(a, in.data(), n * sizeof(unsigned char), cudaMemcpyHostToDevice);
  invert<<<2, 128>>>(a, b);
  cudaMemcpy(out.data(), b, n * sizeof(unsigned char), cudaMemcpyDeviceToHost);
  std::printf("done\n");
  cudaFree(a);
  cudaFree(b);
}
