// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What options of nvcc about arithmetic change, and that they change no host code: whichever compiler is used.
#include <cmath>
#include <cstdio>

__global__ void compute(float *a) {
  a[0] = a[1] * a[1] + a[2];   // fused, or rounded twice
  a[3] = a[4] + 0.0f;          // a denormal number
  a[5] = (1.0f + a[6]) - a[6]; // in this order
}

int main() {
  float host[] = {0, 1.000244140625f, -1.0f, 0, 1e-39f, 0, 1e8f}, *device = nullptr;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  compute<<<1, 1>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  volatile float none = NAN;
  std::printf("fused %d, flushed %d, sum %g, host: isnan %d\n", host[0] != 0x1p-11f, host[3] == 0, host[5],
              std::isnan(none) ? 1 : 0);
}
