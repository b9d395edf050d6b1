// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = a x + y, the kernel that only moves memory: nothing is shared between threads, so whatever a change of
// granularity does to it is not reuse.
#include "check.h"

constexpr int Threads = 256;

__global__ void saxpy(float *y, const float *x, float a, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 5000);
  std::vector<float> x(count), y(count), wanted(count);
  for (int i = 0; i < count; ++i) {
    x[i] = float(i % 251);
    y[i] = float(i % 127) - 60.0f;
    wanted[i] = 1.5f * x[i] + y[i]; // halves: exact with and without a fused multiply-add
  }

  float *deviceX = toDevice(x);
  float *deviceY = toDevice(y);
  saxpy<<<(count + Threads - 1) / Threads, Threads>>>(deviceY, deviceX, 1.5f, count);
  CHECK(cudaGetLastError());
  toHost(y, deviceY);

  const bool passed = allClose(y, wanted, 0.0);
  CHECK(cudaFree(deviceX));
  CHECK(cudaFree(deviceY));
  return verdict("saxpy", passed);
}
