// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FFT of 512 points by 64 threads, 8 points each: three transforms of 8 points in registers, and between them
// two exchanges through shared memory.
//
// For consolidation: every address is a fixed function of the thread, but not of a kind that keeps the
// register fixed: a thread of the first exchange reads row 'thread / 8', so the register of the element
// differs by lane. The block is two warps, so that aggregation doubles the 16 registers of points at once.
#include "Harness.h"

constexpr int Points = 512;
constexpr int Threads = Points / 8;
constexpr int Pitch = 9; // a row of 8 of the second exchange, and one to spread the banks

__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float2 operator*(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/// exp(-2 pi i k / n)
__device__ float2 root(int k, int n) {
  float2 w;
  sincospif(-2.0f * float(k) / float(n), &w.y, &w.x);
  return w;
}

__device__ void butterfly(float2 &a, float2 &b) {
  const float2 difference = a - b;
  a = a + b;
  b = difference;
}
__device__ void swapPoints(float2 &a, float2 &b) {
  const float2 kept = a;
  a = b;
  b = kept;
}

/// The transform of 8 points in place, in natural order.
__device__ void transform8(float2 (&p)[8]) {
  const float h = 0.70710678f;
  for (int i = 0; i < 4; ++i)
    butterfly(p[i], p[i + 4]);
  p[5] = p[5] * make_float2(h, -h);
  p[6] = make_float2(p[6].y, -p[6].x);
  p[7] = p[7] * make_float2(-h, -h);
  for (int i = 0; i < 8; i += 4) {
    butterfly(p[i], p[i + 2]);
    butterfly(p[i + 1], p[i + 3]);
    p[i + 3] = make_float2(p[i + 3].y, -p[i + 3].x);
  }
  for (int i = 0; i < 8; i += 2)
    butterfly(p[i], p[i + 1]);
  swapPoints(p[1], p[4]);
  swapPoints(p[3], p[6]);
}

__global__ void fft512(float2 *work) {
  __shared__ float re[Threads * Pitch], im[Threads * Pitch];
  const int thread = threadIdx.x, high = thread / 8, low = thread % 8;
  float2 *signal = work + size_t(blockIdx.x) * Points;

  float2 p[8];
  for (int i = 0; i < 8; ++i)
    p[i] = signal[i * Threads + thread];
  transform8(p);
  for (int i = 0; i < 8; ++i) {
    p[i] = p[i] * root(i * high, 64);
    re[i * Threads + thread] = p[i].x;
    im[i * Threads + thread] = p[i].y;
  }
  __syncthreads();

  for (int i = 0; i < 8; ++i)
    p[i] = make_float2(re[high * Threads + i * 8 + low], im[high * Threads + i * 8 + low]);
  __syncthreads();
  transform8(p);
  for (int i = 0; i < 8; ++i) {
    p[i] = p[i] * root(low * (high + 8 * i), Points);
    re[(high + 8 * i) * Pitch + low] = p[i].x;
    im[(high + 8 * i) * Pitch + low] = p[i].y;
  }
  __syncthreads();

  for (int i = 0; i < 8; ++i)
    p[i] = make_float2(re[thread * Pitch + i], im[thread * Pitch + i]);
  transform8(p);
  for (int i = 0; i < 8; ++i)
    signal[i * Threads + thread] = p[i];
}

int main(int argc, char **argv) {
  const int batches = argument(argc, argv, 1, 6);
  const std::vector<float> input = floats(size_t(batches) * Points * 2, 3);
  float *work = toDevice(input);
  fft512<<<batches, Threads>>>(reinterpret_cast<float2 *>(work));
  const std::vector<float> got = toHost(work, input.size());

  std::vector<double> cosine(Points), sine(Points);
  for (int i = 0; i < Points; ++i) {
    cosine[i] = std::cos(2 * 3.14159265358979323846 * i / Points);
    sine[i] = std::sin(2 * 3.14159265358979323846 * i / Points);
  }
  const auto wanted = [&](size_t at) { // real and imaginary parts alternate
    const float *signal = &input[at / (2 * Points) * (2 * Points)];
    const int k = int(at / 2 % Points);
    double real = 0, imaginary = 0;
    for (int n = 0; n < Points; ++n) {
      const int angle = n * k % Points;
      real += signal[2 * n] * cosine[angle] + signal[2 * n + 1] * sine[angle];
      imaginary += signal[2 * n + 1] * cosine[angle] - signal[2 * n] * sine[angle];
    }
    return at % 2 ? imaginary : real;
  };
  return verdict("fft512", got, agree(got, wanted, 1e-4, 100000));
}
