// differs: copy 1.*written by  kernel second
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second one reads the wrong buffer.
#include <cstdio>
#include <vector>

constexpr int n = 128;

__global__ void first(const double *x, double *y) { y[threadIdx.x] = x[threadIdx.x] * 3; }
__global__ void second(double *y, const double *x) { y[threadIdx.x] = y[threadIdx.x] + x[threadIdx.x] / 7; }

int main() {
  std::vector<double> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = double(i + 1);
  double *a, *b;
  cudaMalloc(&a, n * sizeof(double));
  cudaMalloc(&b, n * sizeof(double));
  cudaMemset(b, 0, n * sizeof(double));
  cudaMemcpy(a, in.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  first<<<1, 128>>>(a, b);
  second<<<1, 128>>>(b, b);
  cudaMemcpy(out.data(), b, n * sizeof(double), cudaMemcpyDeviceToHost);
  std::printf("done\n");
  cudaFree(a);
  cudaFree(b);
}
