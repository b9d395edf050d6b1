// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms: bytes unpacked from words, private counters in shared memory, merged by global atomics.
#include "Check.h"

constexpr int bins = 64;

__global__ void histogram(const uint4 *words, int n, unsigned *counts) {
  __shared__ unsigned own[bins];
  for (int i = threadIdx.x; i < bins; i += blockDim.x)
    own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    uint4 four = words[i];
    unsigned parts[4] = {four.x, four.y, four.z, four.w};
    for (unsigned part : parts)
      for (int byte = 0; byte < 4; ++byte, part >>= 8)
        atomicAdd(&own[(part & 255) >> 2], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += blockDim.x)
    atomicAdd(&counts[i], own[i]);
}

int main() {
  constexpr int n = 1200;
  std::vector<uint4> words(n);
  std::vector<unsigned> expected(bins);
  unsigned state = 99;
  for (uint4 &four : words) {
    unsigned *parts[4] = {&four.x, &four.y, &four.z, &four.w};
    for (unsigned *part : parts) {
      state = state * 1103515245u + 12345u;
      *part = state ^ (state >> 16);
      for (int byte = 0; byte < 4; ++byte)
        ++expected[(*part >> (8 * byte) & 255) >> 2];
    }
  }
  DeviceArray<uint4> in(words);
  DeviceArray<unsigned> counts(bins);
  histogram<<<5, 96>>>(in, n, counts);
  CHECK_LAUNCH();
  CHECK(counts.host() == expected);
  return pass();
}
