// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The store beyond the end is in a function that is called.
#include <cuda_runtime.h>

namespace tools {
__device__ __noinline__ void put(int *at, int value) { *at = value; }
} // namespace tools

__global__ void fill(int *out) { tools::put(out + threadIdx.x, 1); }

int main() {
  int *out;
  cudaMalloc(&out, 8 * sizeof(int));
  fill<<<1, 32>>>(out);
  return cudaDeviceSynchronize() == cudaSuccess;
}
