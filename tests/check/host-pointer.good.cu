// expect: clean
// check: --timeout 20
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel gets the array of the device.
#include "Case.h"

#include <cstdlib>

__global__ void add(int *out, const int *in) { out[threadIdx.x] = in[threadIdx.x] + 1; }

int main() {
  int *host = static_cast<int *>(std::calloc(1 << 20, sizeof(int)));
  int *in = zeros(64), *out = zeros(64);
  cudaMemcpy(in, host, 64 * sizeof(int), cudaMemcpyHostToDevice);
  add<<<1, 64>>>(out, in);
  cudaDeviceSynchronize();
  return 0;
}
