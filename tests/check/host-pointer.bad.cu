// expect: memory/out-of-bounds at 10
// hint: no allocation is near: the pointer is not initialized, or points to host memory
// check: --timeout 20
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The array of the host is passed in place of the device's.
#include "Case.h"

#include <cstdlib>

__global__ void add(int *out, const int *in) { out[threadIdx.x] = in[threadIdx.x] + 1; }

int main() {
  int *host = static_cast<int *>(std::calloc(1 << 20, sizeof(int)));
  int *in = zeros(64), *out = zeros(64);
  cudaMemcpy(in, host, 64 * sizeof(int), cudaMemcpyHostToDevice);
  add<<<1, 64>>>(out, host);
  cudaDeviceSynchronize();
  return 0;
}
