// expect: host/error-ignored at 10
// check: --timeout 20
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More memory than any GPU has; the program does not look at what cudaMalloc returns.
#include <cuda_runtime.h>
#include <cstddef>

int main() {
  int *data = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&data), size_t(1) << 60);
  return 0;
}
