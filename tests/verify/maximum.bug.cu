// differs: copy 1.*.uint32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A comparison is turned around.
#include <cstdio>
#include <vector>

constexpr int n = 256;

__global__ void maximum(const unsigned *x, unsigned *y, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned best = x[i];
  for (int k = 1; k < 8 && i + k < count; ++k)
    best = x[i + k] < best ? x[i + k] : best;
  y[i] = best;
}

int main() {
  std::vector<unsigned> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = unsigned(i) * 2654435761u;
  unsigned *a, *b;
  cudaMalloc(&a, n * sizeof(unsigned));
  cudaMalloc(&b, n * sizeof(unsigned));
  cudaMemset(b, 0, n * sizeof(unsigned));
  cudaMemcpy(a, in.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  maximum<<<2, 128>>>(a, b, n);
  cudaMemcpy(out.data(), b, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  std::printf("done\n");
  cudaFree(a);
  cudaFree(b);
}
