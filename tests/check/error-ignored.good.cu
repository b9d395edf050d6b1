// expect: clean
// check: --timeout 20
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// It looks, and takes less.
#include <cuda_runtime.h>
#include <cstddef>

int main() {
  int *data = nullptr;
  if (cudaMalloc(reinterpret_cast<void **>(&data), size_t(1) << 60) != cudaSuccess)
    if (cudaMalloc(reinterpret_cast<void **>(&data), size_t(1) << 20) != cudaSuccess)
      return 1;
  return 0;
}
