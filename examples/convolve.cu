// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line convolved with 17 weights: a block loads its piece with a rim on both sides into shared memory, and
// each element is then read by 17 threads. The weights lie in constant memory.
#include "check.h"

constexpr int Threads = 256;
constexpr int Radius = 8;

__constant__ float weights[2 * Radius + 1];

__global__ void convolve(float *out, const float *in, int count) {
  __shared__ float piece[Threads + 2 * Radius];
  int first = blockIdx.x * Threads - Radius;
  for (int j = threadIdx.x; j < Threads + 2 * Radius; j += blockDim.x)
    piece[j] = first + j >= 0 && first + j < count ? in[first + j] : 0.0f;
  __syncthreads();

  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 2 * Radius + 1; ++k)
    sum += weights[k] * piece[threadIdx.x + k];
  int i = blockIdx.x * Threads + threadIdx.x;
  if (i < count)
    out[i] = sum;
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 3000);
  std::vector<float> in(count), out(count), wanted(count), taps(2 * Radius + 1);
  for (int i = 0; i < count; ++i)
    in[i] = float((i * 13) % 41) - 20.0f;
  for (int k = 0; k <= 2 * Radius; ++k)
    taps[k] = float((k * 5) % 9) / 8.0f;

  float *deviceIn = toDevice(in);
  float *deviceOut = toDevice(out);
  CHECK(cudaMemcpyToSymbol(weights, taps.data(), taps.size() * sizeof(float)));
  convolve<<<(count + Threads - 1) / Threads, Threads>>>(deviceOut, deviceIn, count);
  CHECK(cudaGetLastError());
  toHost(out, deviceOut);

  for (int i = 0; i < count; ++i)
    for (int k = 0; k <= 2 * Radius; ++k)
      if (i + k >= Radius && i + k < count + Radius)
        wanted[i] += taps[k] * in[i + k - Radius]; // multiples of 1/8: exact in any order
  const bool passed = allClose(out, wanted, 0.0);
  CHECK(cudaFree(deviceIn));
  CHECK(cudaFree(deviceOut));
  return verdict("convolve", passed);
}
