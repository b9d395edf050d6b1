// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel that writes comes first, in the same stream.
#include "Case.h"

__global__ void use(const int *cells, int *out) { out[threadIdx.x] = cells[threadIdx.x]; }

__global__ void fill(int *cells) { cells[threadIdx.x] = 7; }

int main() {
  int *cells = nullptr, *out = zeros(32);
  cudaMalloc(reinterpret_cast<void **>(&cells), 32 * sizeof(int));
  cudaStream_t first;
  cudaStreamCreate(&first);
  fill<<<1, 32, 0, first>>>(cells);
  use<<<1, 32, 0, first>>>(cells, out);
  return finish();
}
