// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of warps decides what the first kernel writes; the second one gets the same memory.
#include <cuda_runtime.h>

__global__ void collect(int *list, int *count) { list[atomicAdd(count, 1)] = threadIdx.x; }
__global__ void fill(int *list) { list[threadIdx.x] = 1; }

int main() {
  int *list, host[192];
  cudaMalloc(&list, sizeof host);
  cudaMemset(list, 0, sizeof host);
  collect<<<1, 128>>>(list, list + 128);
  fill<<<1, 32>>>(list + 160);
  cudaMemcpy(host, list, sizeof host, cudaMemcpyDeviceToHost);
  return cudaFree(list);
}
