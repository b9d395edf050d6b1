// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The copy is in the kernel's own stream.
#include "Case.h"

__global__ void fill(int *cells) { cells[threadIdx.x] = 7; }

int main() {
  int *cells = zeros(32), *host = nullptr;
  cudaMallocHost(reinterpret_cast<void **>(&host), 32 * sizeof(int));
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  fill<<<1, 32, 0, first>>>(cells);
  cudaMemcpyAsync(host, cells, 32 * sizeof(int), cudaMemcpyDeviceToHost, first);
  return finish();
}
