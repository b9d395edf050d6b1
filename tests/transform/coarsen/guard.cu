// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A guard at the top, no barrier: the guard's return goes on with the next item.
#include "Harness.h"

__global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return; // beyond the end
  float scaled = a * x[i];
  y[i] = scaled + y[i];
}

int main() {
  const int n = 1000;
  float *y = input<float>(n, 2);
  saxpy<<<(n + 127) / 128, 128>>>(y, input<float>(n), 1.5f, n);
  bring("saxpy", y, n);
}
