// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host gives it back after the kernel.
#include "Case.h"

__global__ void copy(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }

int main() {
  int *in = numbers(32), *out = zeros(32);
  copy<<<1, 32>>>(in, out);
  int result = finish();
  cudaFree(in);
  return result;
}
