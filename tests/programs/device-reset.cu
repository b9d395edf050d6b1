// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cudaDeviceReset: variables of the device have their first values again, and everything else works as at the
// start of the program.
#include "Check.h"

__device__ int plain = 5;
__device__ int zeroed;
__device__ int table[3] = {1, 2, 3};
__device__ int *into = &table[1];
__constant__ float factor = 2.5f;

__global__ void change() {
  plain += 100;
  zeroed = -1;
  table[1] = 70;
  into = &table[2];
}

__global__ void look(float *out) {
  out[0] = plain;
  out[1] = zeroed;
  out[2] = table[1];
  out[3] = *into;
  out[4] = factor;
}

static std::vector<float> look() {
  DeviceArray<float> out(5);
  look<<<1, 1>>>(out);
  CHECK_LAUNCH();
  return out.host();
}

int main() {
  const std::vector<float> first = {5, 0, 2, 2, 2.5f}, changed = {105, -1, 70, 3, 9};
  CHECK(look() == first);
  float nine = 9;
  CHECK_CUDA(cudaMemcpyToSymbol(factor, &nine, sizeof nine));
  change<<<1, 1>>>();
  CHECK(look() == changed);

  CHECK_CUDA(cudaDeviceReset());
  CHECK(look() == first);
  return pass();
}
