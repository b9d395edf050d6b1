// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The copy comes first, in the same stream.
#include "Case.h"

__global__ void use(const int *cells, int *out) { out[threadIdx.x] = cells[threadIdx.x]; }

int main() {
  int *cells = nullptr, *out = zeros(32), *host = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&cells), 32 * sizeof(int));
  cudaMallocHost(reinterpret_cast<void **>(&host), 32 * sizeof(int));
  cudaStream_t first;
  cudaStreamCreate(&first);
  cudaMemcpyAsync(cells, host, 32 * sizeof(int), cudaMemcpyHostToDevice, first);
  use<<<1, 32, 0, first>>>(cells, out);
  return finish();
}
