// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reuse between threads and nothing else: each of a block's 512 threads sums the same 512 elements of shared
// memory. A merged thread needs the elements once for all its items, so loads of shared memory fall to one in
// F. (After `synth` of section 6 in Unkule, Shaltz and Qasem, "Automatic restructuring of GPU kernels for
// exploiting inter-thread data locality", CC 2012, where 1024 blocks share 512 K elements.)
#include "check.h"

constexpr int Threads = 512;

__global__ void synth(float *sums, const float *values) {
  __shared__ float held[Threads];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  held[threadIdx.x] = values[i];
  __syncthreads();

  float sum = 0.0f;
  for (int j = 0; j < Threads; ++j)
    sum += held[j];
  sums[i] = sum;
}

int main(int argc, char **argv) {
  const int blocks = sizeArgument(argc, argv, 4);
  std::vector<float> values(size_t(blocks) * Threads), sums(values.size()), wanted(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float((i * 7) % 61) - 30.0f;

  float *deviceValues = toDevice(values);
  float *deviceSums = toDevice(sums);
  synth<<<blocks, Threads>>>(deviceSums, deviceValues);
  CHECK(cudaGetLastError());
  toHost(sums, deviceSums);

  for (size_t first = 0; first < values.size(); first += Threads) {
    float sum = 0.0f; // of small integers: exact in any order
    for (int j = 0; j < Threads; ++j)
      sum += values[first + j];
    for (int j = 0; j < Threads; ++j)
      wanted[first + j] = sum;
  }
  const bool passed = allClose(sums, wanted, 0.0);
  CHECK(cudaFree(deviceValues));
  CHECK(cudaFree(deviceSums));
  return verdict("synth", passed);
}
