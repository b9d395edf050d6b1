// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../two_halos.cu with two buffers and cp.async, which goes on from line to line. Outside the speed is 1,
// which no copy fills in: it is stored.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Threads = 128, HaloP = 4, HaloV = 1;

__global__ void wave(float *out, const float *pressure, const float *speed, int count, int lines) {
  __shared__ float p[2][Threads + 2 * HaloP];
  __shared__ float v[2][Threads + 2 * HaloV];

  const auto copy = [&](int line, int start, int buffer) {
    if (line < lines && start < count) {
      const size_t first = size_t(line) * count;
      for (int i = threadIdx.x; i < Threads + 2 * HaloP; i += Threads) {
        const int at = start + i - HaloP;
        const bool there = at >= 0 && at < count;
        __pipeline_memcpy_async(&p[buffer][i], there ? &pressure[first + at] : pressure, 4, there ? 0 : 4);
      }
      for (int i = threadIdx.x; i < Threads + 2 * HaloV; i += Threads) {
        const int at = start + i - HaloV;
        if (at >= 0 && at < count)
          __pipeline_memcpy_async(&v[buffer][i], &speed[first + at], 4);
        else
          v[buffer][i] = 1.0f;
      }
    }
    __pipeline_commit();
  };

  int buffer = 0;
  copy(blockIdx.x, 0, 0);
  for (int line = blockIdx.x; line < lines; line += gridDim.x) {
    const size_t first = size_t(line) * count;
    for (int start = 0; start < count; start += Threads, buffer ^= 1) {
      const bool isLast = start + Threads >= count;
      copy(isLast ? line + gridDim.x : line, isLast ? 0 : start + Threads, buffer ^ 1);
      __pipeline_wait_prior(1);
      __syncthreads();
      const float *ps = p[buffer], *vs = v[buffer];
      const int i = threadIdx.x;
      const float flux = (vs[i] + 2 * vs[i + 1] + vs[i + 2]) * 0.25f;
      const float second = -9.0f * (ps[i] + ps[i + 8]) + 128.0f * (ps[i + 1] + ps[i + 7]) -
                           1008.0f * (ps[i + 2] + ps[i + 6]) + 8064.0f * (ps[i + 3] + ps[i + 5]) -
                           14350.0f * ps[i + 4];
      if (start + i < count)
        out[first + start + i] = flux * (second / 5040.0f);
      __syncthreads();
    }
  }
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 1, 500), lines = argument(argc, argv, 2, 5);
  const int blocks = argument(argc, argv, 3, 2);
  const std::vector<float> pressure = floats(size_t(count) * lines, 1),
                           speed = floats(pressure.size(), 2, 1, 2);
  float *deviceP = toDevice(pressure), *deviceV = toDevice(speed), *out = zeros<float>(pressure.size());

  wave<<<blocks, Threads>>>(out, deviceP, deviceV, count, lines);
  const std::vector<float> got = toHost(out, pressure.size());

  const auto wanted = [&](size_t at) {
    const int i = int(at % count);
    const auto p = [&](int d) { return i + d >= 0 && i + d < count ? double(pressure[at + d]) : 0.0; };
    const auto v = [&](int d) { return i + d >= 0 && i + d < count ? double(speed[at + d]) : 1.0; };
    const double second = -9 * (p(-4) + p(4)) + 128 * (p(-3) + p(3)) - 1008 * (p(-2) + p(2)) +
                          8064 * (p(-1) + p(1)) - 14350 * p(0);
    return (v(-1) + 2 * v(0) + v(1)) * 0.25 * second / 5040;
  };
  return verdict("two_halos", got, agree(got, wanted, 1e-5, 20000));
}
