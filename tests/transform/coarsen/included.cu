// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel and what it calls are in a file that is included; one 'k' counts a loop around barriers and is an
// index as well.
#include "Harness.h"
#include "included_kernels.cuh" // what is launched

int main() {
  const int n = 640;
  float *out = zeros<float>(n);
  rotate<<<n / 64, 64>>>(out, input<float>(n), 5);
  bring("rotate", out, n);
}
