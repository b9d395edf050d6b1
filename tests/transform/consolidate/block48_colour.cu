// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colours from red, green, blue to brightness and two differences: 48 threads for 16 pixels, a byte each.
//
// For consolidation: 48 is no multiple of 32: aggregation leaves half of the second thread's lanes without
// work, and they must still arrive at the warp's barrier. A pixel's three bytes are at 'thread / 3 * 3', so
// pixels lie across the end of a register: element 32 is the last byte of the pixel of thread 30.
#include "Harness.h"

constexpr int Pixels = 16;
constexpr int Threads = 3 * Pixels;

// Rows for each of the results, in 256ths.
__constant__ int weights[9] = {77, 150, 29, -43, -85, 128, 128, -107, -21};

__global__ void toLuma(unsigned char *out, const unsigned char *in, int bytes) {
  __shared__ unsigned char samples[Threads];
  const int i = blockIdx.x * Threads + threadIdx.x;
  if (i < bytes)
    samples[threadIdx.x] = in[i];
  __syncthreads();

  if (i < bytes) {
    const int pixel = threadIdx.x / 3 * 3, channel = threadIdx.x % 3;
    int sum = 0;
    for (int k = 0; k < 3; ++k)
      sum += weights[3 * channel + k] * samples[pixel + k];
    out[i] = (unsigned char)((sum >> 8) + (channel > 0 ? 128 : 0));
  }
}

int main(int argc, char **argv) {
  const int bytes = 3 * argument(argc, argv, 1, 500);
  const std::vector<unsigned char> in = integers<unsigned char>(bytes, 31, 256);
  unsigned char *deviceIn = toDevice(in), *out = zeros<unsigned char>(bytes);
  toLuma<<<blocksFor(bytes, Threads), Threads>>>(out, deviceIn, bytes);
  const std::vector<unsigned char> got = toHost(out, bytes);

  const auto wanted = [&](size_t at) {
    const int r = in[at / 3 * 3], g = in[at / 3 * 3 + 1], b = in[at / 3 * 3 + 2];
    switch (at % 3) {
    case 0: return (77 * r + 150 * g + 29 * b) >> 8;
    case 1: return ((-43 * r - 85 * g + 128 * b) >> 8) + 128;
    default: return ((128 * r - 107 * g - 21 * b) >> 8) + 128;
    }
  };
  return verdict("block48_colour", got, agree(got, wanted, 0));
}
