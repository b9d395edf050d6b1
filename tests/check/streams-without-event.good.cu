// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second stream waits for an event of the first.
#include "Case.h"

__global__ void fill(int *cells) { cells[threadIdx.x] = 7; }

__global__ void copy(const int *cells, int *out) { out[threadIdx.x] = cells[threadIdx.x]; }

int main() {
  int *cells = zeros(32), *out = zeros(32);
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  fill<<<1, 32, 0, first>>>(cells);
  cudaEvent_t filled;
  cudaEventCreate(&filled);
  cudaEventRecord(filled, first);
  cudaStreamWaitEvent(second, filled, 0);
  copy<<<1, 32, 0, second>>>(cells, out);
  return finish();
}
