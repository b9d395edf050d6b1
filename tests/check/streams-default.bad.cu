// expect: race/launches at 6 and 8
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stream that does not wait for the default stream, and is not waited for by it.
#include "Case.h"

__global__ void fill(int *cells) { cells[threadIdx.x] = 7; }

__global__ void copy(const int *cells, int *out) { out[threadIdx.x] = cells[threadIdx.x]; }

int main() {
  int *cells = zeros(32), *out = zeros(32);
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  fill<<<1, 32, 0, other>>>(cells);
  copy<<<1, 32>>>(cells, out);
  return finish();
}
