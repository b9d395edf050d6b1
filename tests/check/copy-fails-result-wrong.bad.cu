// expect: host/error-ignored at 18
// check: --timeout 20
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The copy that fails makes the result wrong, which the program reports by its exit code.
#include "Case.h"

#include <cstdlib>

__global__ void fill(int *out) { out[threadIdx.x] = 1; }

int main() {
  const int count = 64;
  int *out = zeros(count);
  int *host = static_cast<int *>(std::calloc(2 * count, sizeof(int)));
  fill<<<1, count>>>(out);
  cudaDeviceSynchronize();

  cudaMemcpy(host, out, 2 * count * sizeof(int), cudaMemcpyDeviceToHost);
  return host[0] == 1 ? 0 : 1;
}
