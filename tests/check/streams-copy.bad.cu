// expect: race/launches at 7
// hint: make the stream of the second wait for it
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy to the host in another stream than the kernel that makes the data.
#include "Case.h"

__global__ void fill(int *cells) { cells[threadIdx.x] = 7; }

int main() {
  int *cells = zeros(32), *host = nullptr;
  cudaMallocHost(reinterpret_cast<void **>(&host), 32 * sizeof(int));
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  fill<<<1, 32, 0, first>>>(cells);
  cudaMemcpyAsync(host, cells, 32 * sizeof(int), cudaMemcpyDeviceToHost, second);
  return finish();
}
