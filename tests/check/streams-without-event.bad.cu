// expect: race/launches at 7 and 9
// hint: record an event
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One stream's kernel writes what another stream's kernel reads.
#include "Case.h"

__global__ void fill(int *cells) { cells[threadIdx.x] = 7; }

__global__ void copy(const int *cells, int *out) { out[threadIdx.x] = cells[threadIdx.x]; }

int main() {
  int *cells = zeros(32), *out = zeros(32);
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  fill<<<1, 32, 0, first>>>(cells);
  copy<<<1, 32, 0, second>>>(cells, out);
  return finish();
}
