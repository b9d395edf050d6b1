// expect: host/error-ignored at 18
// check: --timeout 30
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More bytes are copied than were allocated: the copy does nothing, and the result is not checked.
#include "Case.h"

#include <cstdlib>

__global__ void fill(int *out) { out[threadIdx.x] = 1; }

int main() {
  const int count = 64;
  int *out = zeros(count);
  long *host = static_cast<long *>(std::calloc(count, sizeof(long)));
  fill<<<1, count>>>(out);
  cudaDeviceSynchronize();

  cudaMemcpy(host, out, count * sizeof(long), cudaMemcpyDeviceToHost);
  return 0;
}
