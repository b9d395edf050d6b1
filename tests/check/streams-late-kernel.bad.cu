// expect: race/launches at 7 and 9
// hint: make the stream of the second wait for it
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same with a kernel that writes.
#include "Case.h"

__global__ void use(const int *cells, int *out) { out[threadIdx.x] = cells[threadIdx.x]; }

__global__ void fill(int *cells) { cells[threadIdx.x] = 7; }

int main() {
  int *cells = nullptr, *out = zeros(32);
  cudaMalloc(reinterpret_cast<void **>(&cells), 32 * sizeof(int));
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  use<<<1, 32, 0, first>>>(cells, out);
  fill<<<1, 32, 0, second>>>(cells);
  return finish();
}
