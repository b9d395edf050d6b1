// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A filter over a signal, as wide as an argument says: tile and weights share the block's dynamic shared
// memory.
//
// For consolidation: two arrays carved from one, the second through a pointer to an address known at run time. Neither's
// size is known at compile time, so both stay in shared memory; the launch's byte count must stay, once for
// every warp when persistent warps share a block.
#include "Harness.h"

#define THREADS 128

__global__ void filter(float *out, const float *in, const float *taps, int count, int radius) {
  extern __shared__ float tile[];
  float *weights = tile + blockDim.x + 2 * radius;
  const int start = blockIdx.x * blockDim.x;

  for (int i = threadIdx.x; i < int(blockDim.x) + 2 * radius; i += blockDim.x) {
    const int from = start + i - radius;
    tile[i] = from >= 0 && from < count ? in[from] : 0.0f;
  }
  for (int i = threadIdx.x; i <= 2 * radius; i += blockDim.x)
    weights[i] = taps[i];
  __syncthreads();

  if (start + int(threadIdx.x) < count) {
    float sum = 0;
    for (int k = 0; k <= 2 * radius; ++k)
      sum += weights[k] * tile[threadIdx.x + k];
    out[start + threadIdx.x] = sum;
  }
}

int main(int argc, char **argv) {
  const int count = argument(argc, argv, 1, 3000), radius = argument(argc, argv, 2, 9);
  const std::vector<float> in = floats(count, 35), taps = floats(2 * radius + 1, 36);
  float *deviceIn = toDevice(in), *deviceTaps = toDevice(taps), *out = zeros<float>(count);

  const size_t bytes = (THREADS + 2 * radius + 2 * radius + 1) * sizeof(float);
  filter<<<blocksFor(count, THREADS), THREADS, bytes>>>(out, deviceIn, deviceTaps, count, radius);
  const std::vector<float> got = toHost(out, count);

  const auto wanted = [&](size_t i) {
    double sum = 0;
    for (int k = 0; k <= 2 * radius; ++k) {
      const long from = long(i) + k - radius;
      if (from >= 0 && from < count)
        sum += double(taps[k]) * in[from];
    }
    return sum;
  };
  return verdict("dynamic_fir", got, agree(got, wanted, 1e-4, 1000000));
}
