// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No shared memory and no barrier: blocks can be merged as well.
// axes: x grid xgrid
#include "Harness.h"

__global__ void polynomial(double *out, const double *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double x = i < n ? in[i] : 0.0, sum = 0.0;
  for (int k = 0; k < 5; ++k)
    sum = sum * x + double(k + int(gridDim.x));
  if (i < n)
    out[i] = sum;
}

int main() {
  const int n = 16 * 64 - 5;
  double *out = zeros<double>(n);
  polynomial<<<16, 64>>>(out, input<double>(n), n);
  bring("polynomial", out, n);
}
