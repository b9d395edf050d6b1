// differs: copy 1.*.0. .double..*written by  kernel reverse
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile is read one place off.
#include <cstdio>
#include <vector>

constexpr int n = 320;

__global__ void reverse(const double *x, double *y) {
  __shared__ double tile[64];
  int base = blockIdx.x * 64, t = threadIdx.x;
  tile[t] = x[base + t];
  __syncthreads();
  y[base + t] = tile[62 - t + (t == 63)];
}

int main() {
  std::vector<double> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = double(i % 37) * double(0.5);
  double *a, *b;
  cudaMalloc(&a, n * sizeof(double));
  cudaMalloc(&b, n * sizeof(double));
  cudaMemset(b, 0, n * sizeof(double));
  cudaMemcpy(a, in.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  reverse<<<5, 64>>>(a, b);
  cudaMemcpy(out.data(), b, n * sizeof(double), cudaMemcpyDeviceToHost);
  std::printf("done\n");
  cudaFree(a);
  cudaFree(b);
}
