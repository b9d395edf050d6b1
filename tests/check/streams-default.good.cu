// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An ordinary stream and the default stream wait for each other.
#include "Case.h"

__global__ void fill(int *cells) { cells[threadIdx.x] = 7; }

__global__ void copy(const int *cells, int *out) { out[threadIdx.x] = cells[threadIdx.x]; }

int main() {
  int *cells = zeros(32), *out = zeros(32);
  cudaStream_t other;
  cudaStreamCreate(&other);
  fill<<<1, 32, 0, other>>>(cells);
  copy<<<1, 32>>>(cells, out);
  return finish();
}
