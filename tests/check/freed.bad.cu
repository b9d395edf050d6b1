// expect: memory/freed at 6
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel reads memory that the host has given back.
#include "Case.h"

__global__ void copy(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }

int main() {
  int *in = numbers(32), *out = zeros(32);
  cudaFree(in);
  copy<<<1, 32>>>(in, out);
  return finish();
}
