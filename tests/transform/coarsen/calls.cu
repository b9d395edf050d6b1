// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers inside functions that the kernel calls: their text takes the place of the calls.
#include "Harness.h"

constexpr int Threads = 64;

/// Folds a tile into its first element; `width` threads take part.
__device__ void fold(float s[], int width) {
  for (int half = width / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads(); // all sums of this level are there
  }
}

/// The sum over the block, for every thread of it.
__device__ float blockSum(float value) {
  __shared__ float held[Threads];
  __syncthreads(); // no thread still reads what an earlier call left
  held[threadIdx.x] = value;
  __syncthreads();
  fold(held, Threads);
  return held[0];
}

template <class T, int Step> __device__ T neighbour(T *tile, T value, int s) {
  tile[threadIdx.x] = value;
  __syncthreads();
  T found = tile[(threadIdx.x + Step * s) % Threads];
  __syncthreads();
  return found;
}

__global__ void normalize(float *out, const float *in, int n) {
  __shared__ float tile[Threads];
  int s = blockIdx.x * Threads + threadIdx.x;
  float value = s < n ? in[s] : 0.0f;
  const float sum = blockSum(value);
  float mean = sum / Threads;
  float spread;
  spread = blockSum((value - mean) * (value - mean));
  float next = neighbour<float, 3>(tile, value, 2);
  if (n > 100)
    next += neighbour<float, 1>(tile, next, 1);
  if (s < n)
    out[s] = (value - mean) * 0.5f + next * 0.25f + spread * 0.0009765625f; // exact products: fused or not
}

int main() {
  const int n = 500;
  float *out = zeros<float>(n);
  normalize<<<(n + Threads - 1) / Threads, Threads>>>(out, input<float>(n), n);
  bring("normalize", out, n);
}
