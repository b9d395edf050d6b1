// expect: race/launches at 7
// hint: make the stream of the second wait for it
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel reads what a copy of another stream fills: that the memory may be empty by then follows from the race.
#include "Case.h"

__global__ void use(const int *cells, int *out) { out[threadIdx.x] = cells[threadIdx.x]; }

int main() {
  int *cells = nullptr, *out = zeros(32), *host = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&cells), 32 * sizeof(int));
  cudaMallocHost(reinterpret_cast<void **>(&host), 32 * sizeof(int));
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  use<<<1, 32, 0, first>>>(cells, out);
  cudaMemcpyAsync(cells, host, 32 * sizeof(int), cudaMemcpyHostToDevice, second);
  return finish();
}
