// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point atomics: float and double addition, half pairs, and a maximum made of compare-and-swap.
// All sums are exact in their type, so their order does not matter.
#include "Check.h"

#include <cuda_fp16.h>

__global__ void sums(float *f, double *d, __half2 *pair) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(f, 0.25f * (i % 8));
  atomicAdd(d, 0.125 * i);
  atomicAdd(pair, __halves2half2(__float2half(1.0f), __float2half(float(i % 2))));
}

__global__ void sharedSums(float *out) {
  __shared__ float bins[4];
  if (threadIdx.x < 4)
    bins[threadIdx.x] = -1;
  __syncthreads();
  float old = atomicAdd(&bins[threadIdx.x % 4], 2.0f);
  __syncthreads();
  out[threadIdx.x] = old;
  if (threadIdx.x < 4)
    out[blockDim.x + threadIdx.x] = bins[threadIdx.x];
}

__device__ float atomicMaxFloat(float *address, float value) {
  int *bits = reinterpret_cast<int *>(address);
  int seen = *bits, expected;
  do {
    expected = seen;
    if (__int_as_float(expected) >= value)
      break;
    seen = atomicCAS(bits, expected, __float_as_int(value));
  } while (seen != expected);
  return __int_as_float(seen);
}

__global__ void maxima(float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMaxFloat(out, sinf(float(i)) * 100);
}

__global__ void maximumReference(float *out) {
  float best = -1e30f;
  for (int i = 0; i < 300; ++i)
    best = fmaxf(best, sinf(float(i)) * 100);
  *out = best;
}

int main() {
  DeviceArray<float> f(1);
  DeviceArray<double> d(1);
  DeviceArray<__half2> pair(1);
  sums<<<10, 100>>>(f, d, pair);
  CHECK_LAUNCH();
  CHECK(f.host()[0] == 125 * 0.25f * 28);
  CHECK(d.host()[0] == 0.125 * 999 * 1000 / 2);
  __half2 halves = pair.host()[0];
  CHECK(__half2float(__low2half(halves)) == 1000 && __half2float(__high2half(halves)) == 500);

  DeviceArray<float> out(68);
  sharedSums<<<1, 64>>>(out);
  CHECK_LAUNCH();
  std::vector<float> got = out.host();
  for (int bin = 0; bin < 4; ++bin) {
    CHECK(got[64 + bin] == 31);
    unsigned seen = 0; // the old values of one bin are -1, 1, 3 ... 29, each once
    for (int i = bin; i < 64; i += 4)
      seen |= 1u << int((got[i] + 1) / 2);
    CHECK(seen == 0xffffu);
  }

  DeviceArray<float> best(std::vector<float>{-1e30f}), reference(1);
  maxima<<<3, 100>>>(best);
  CHECK_LAUNCH();
  maximumReference<<<1, 1>>>(reference);
  CHECK_LAUNCH();
  CHECK(best.host()[0] == reference.host()[0]);
  return pass();
}
