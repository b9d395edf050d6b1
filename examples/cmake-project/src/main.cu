// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filters.h"
#include "kernels.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

/// The differences between neighbours, which get smaller when values are smoothed.
static __global__ void difference(float *out, const float *in, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < count)
    out[i] = in[i + 1] - in[i];
}

static double roughness(const std::vector<float> &values) {
  const int count = int(values.size());
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, count * sizeof(float));
  cudaMalloc(&out, count * sizeof(float));
  cudaMemcpy(in, values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, count * sizeof(float));
  scale<<<(count + 127) / 128, 128>>>(in, 2, count);
  difference<<<(count + 255) / 256, 256>>>(out, in, count);
  std::vector<float> differences(count);
  cudaMemcpy(differences.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  double sum = 0;
  for (float each : differences)
    sum += each < 0 ? -each : each;
  return sum;
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 10000;
  std::vector<float> values(count);
  for (int i = 0; i < count; ++i)
    values[i] = float(i * 7919LL % 1000);
  std::printf("before %.6f\n", roughness(values));
  smooth(values.data(), count, 5);
  std::printf("after  %.6f\n", roughness(values));
  return 0;
}
