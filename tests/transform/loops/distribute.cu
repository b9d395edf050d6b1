// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops taken apart: an index that each part computes for itself, a value that becomes a small array, statements
// that depend in a circle and stay together, parts that have to change their order.
#include "../coarsen/Harness.h"

__global__ void parts(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ in, int n) {
  float total = 0.0f;
#pragma heddle distribute
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int at = i * 2 + 1;
    a[at] = in[i];     // first
    b[i] = in[at] * 3; // second
    total += in[i];
  }
  b[n + threadIdx.x] = total;
}
// becomes: b[i] = in[at] * 3; // second
// becomes: total += in[i];

/// The last statement's elements are wanted one iteration later by the first: it has to come first.
__global__ void turned(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ in) {
  a += threadIdx.x * 32;
  b += threadIdx.x * 32;
#pragma heddle distribute
  for (int i = 1; i < 32; ++i) {
    b[i] = a[i - 1] * 2.0f;
    a[i] = in[i] + 1.0f;
  }
}

__global__ void kept(float *__restrict__ a, float *__restrict__ b, float *__restrict__ c) {
  int first = threadIdx.x * 40;
#pragma heddle distribute
  for (int i = 9; i > 1; i -= 2) {
    const float value = a[first + i] * 2.0f;
    c[first + i] = value;
    a[first + i] = b[first + i + 2] + value;
    b[first + i] = a[first + i] + 1.0f;
  }
}
// becomes: float values[4];
// becomes: values[(9 - i) / 2] = a[first + i] * 2.0f;

int main() {
  float *a = zeros<float>(500), *b = zeros<float>(500), *c = zeros<float>(500);
  parts<<<1, 16>>>(a, b, input<float>(250), 100);
  bring("a", a, 500);
  bring("b", b, 500);
  turned<<<1, 4>>>(a, b, input<float>(32));
  bring("turned", b, 500);
  float *d = input<float>(500), *e = input<float>(500, 3);
  kept<<<1, 4>>>(d, e, c);
  bring("d", d, 500);
  bring("e", e, 500);
  bring("c", c, 500);
}
