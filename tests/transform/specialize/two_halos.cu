// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two arrays in one tile with different halos: a wave with variable speed (one cell on each side for the
// speed, four for the pressure), along long lines.
#include "Harness.h"

constexpr int Threads = 128, HaloP = 4, HaloV = 1;

__global__ void wave(float *out, const float *pressure, const float *speed, int count, int lines) {
  __shared__ float p[Threads + 2 * HaloP];
  __shared__ float v[Threads + 2 * HaloV];
  for (int line = blockIdx.x; line < lines; line += gridDim.x) {
    const size_t first = size_t(line) * count;
    for (int start = 0; start < count; start += Threads) {
      for (int i = threadIdx.x; i < Threads + 2 * HaloP; i += Threads) {
        const int at = start + i - HaloP;
        p[i] = at >= 0 && at < count ? pressure[first + at] : 0.0f;
      }
      for (int i = threadIdx.x; i < Threads + 2 * HaloV; i += Threads) {
        const int at = start + i - HaloV;
        v[i] = at >= 0 && at < count ? speed[first + at] : 1.0f;
      }
      __syncthreads();
      const int i = threadIdx.x;
      const float flux = (v[i] + 2 * v[i + 1] + v[i + 2]) * 0.25f;
      const float second = -9.0f * (p[i] + p[i + 8]) + 128.0f * (p[i + 1] + p[i + 7]) -
                           1008.0f * (p[i + 2] + p[i + 6]) + 8064.0f * (p[i + 3] + p[i + 5]) -
                           14350.0f * p[i + 4];
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
