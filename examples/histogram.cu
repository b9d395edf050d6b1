// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histogram of bytes: each block counts in shared memory with shared atomics, then adds its counts to the
// result with global ones. Most of the fighting over a bin stays inside a block.
#include "check.h"

constexpr int Bins = 256;
constexpr int Threads = 128;

__global__ void histogram(unsigned int *bins, const unsigned char *data, int count) {
  __shared__ unsigned int local[Bins];
  for (int bin = threadIdx.x; bin < Bins; bin += blockDim.x)
    local[bin] = 0;
  __syncthreads();

  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();

  for (int bin = threadIdx.x; bin < Bins; bin += blockDim.x)
    if (local[bin] > 0)
      atomicAdd(&bins[bin], local[bin]);
}

/// Bytes that pile up in the middle: the sum of four small random numbers.
static std::vector<unsigned char> randomBytes(int count) {
  std::vector<unsigned char> data(count);
  unsigned int state = 12345;
  for (unsigned char &byte : data) {
    unsigned int sum = 0;
    for (int part = 0; part < 4; ++part) {
      state = state * 1664525u + 1013904223u;
      sum += state >> 26;
    }
    byte = (unsigned char)(sum);
  }
  return data;
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 30000);
  const std::vector<unsigned char> data = randomBytes(count);
  std::vector<unsigned int> bins(Bins, 0), wanted(Bins, 0);
  for (unsigned char byte : data)
    ++wanted[byte];

  unsigned char *deviceData = toDevice(data);
  unsigned int *deviceBins = toDevice(bins);
  const int blocks = blocksFor(count, Threads, 32);
  histogram<<<blocks, Threads>>>(deviceBins, deviceData, count);
  CHECK(cudaGetLastError());
  toHost(bins, deviceBins);

  const bool passed = allClose(bins, wanted, 0.0);
  CHECK(cudaFree(deviceData));
  CHECK(cudaFree(deviceBins));
  return verdict("histogram", passed);
}
