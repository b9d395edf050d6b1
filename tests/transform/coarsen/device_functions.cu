// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// threadIdx and blockDim inside functions that the kernel calls: of its own, shared with another kernel, a template,
// one that calls the next.
#include "Harness.h"

__device__ int globalIndex() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <class T> __device__ T load(const T *from, int n) {
  int i = globalIndex();
  return i < n ? from[i] : T(0);
}

static __device__ float twice(float x) { return 2.0f * x; }

static __device__ float mine(const float *row, float by = 3.0f) { return row[threadIdx.x] * by; }

__global__ void combine(float *out, const float *a, const int *b, int n) {
  float sum = load(a, n) + float(load<int>(b, n));
  if (globalIndex() < n)
    out[globalIndex()] = twice(sum) + mine(a);
}

__global__ void plain(int *out, int n) {
  if (globalIndex() < n)
    out[globalIndex()] = globalIndex();
}

int main() {
  const int n = 500;
  float *out = zeros<float>(n);
  int *indices = zeros<int>(n);
  combine<<<(n + 63) / 64, 64>>>(out, input<float>(n), input<int>(n, 5), n);
  plain<<<(n + 63) / 64, 64>>>(indices, n);
  bring("combine", out, n);
  bring("plain", indices, n);
}
