// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A nest of loops, one of which a directive can mean without its line.
#include <cstdio>

__global__ void smooth(float *__restrict__ out, const float *__restrict__ in, int rows) {
  for (int row = 0; row < 8; ++row)
    for (int k = 0; k < 4; ++k)
      out[row * 32 + threadIdx.x] += in[(row + k) * 32 + threadIdx.x];
}

int main() {
  float host[512] = {}, *out, *in;
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&in, sizeof host);
  cudaMemset(out, 0, sizeof host);
  cudaMemset(in, 0, sizeof host);
  smooth<<<1, 32>>>(out, in, 8);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[3]);
}
