// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that become one: what the second reads the first has just written, names that clash, a sum of each, bodies
// without braces.
#include "../coarsen/Harness.h"

__global__ void both(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ in, int n) {
  float first = 0.0f, second = 0.0f;
#pragma heddle fuse
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float value = in[i] * 2.0f; // doubled
    a[i] = value;
    first += value;
  }
  // and now the other one
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    float value = a[k] + 1.0f;
    b[k] = value;
    second += b[k];
  }
  a[n + threadIdx.x] = first;
  b[n + threadIdx.x] = second;
}
// becomes: float value2 = a[i] + 1.0f;
// leaves no: int k

__global__ void shifted(float *data) {
  float *own = data + threadIdx.x * 64;
#pragma heddle fuse
  for (int i = 0; i < 30; ++i)
    own[i + 1] *= 0.5f;
  for (int j = 0; j < 30; ++j)
    for (int i = 0; i < 2; ++i)
      own[j] += own[j + i] * 0.25f;
}
// becomes: const int j = i;

int main() {
  float *a = zeros<float>(200), *b = zeros<float>(200);
  both<<<1, 16>>>(a, b, input<float>(100), 100);
  bring("a", a, 200);
  bring("b", b, 200);
  float *data = input<float>(4 * 64);
  shifted<<<1, 4>>>(data);
  bring("shifted", data, 4 * 64);
}
