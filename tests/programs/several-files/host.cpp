// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plain C++ file of a CUDA program: it calls the runtime, but has no kernels.
#include "shared.h"

#include <cuda_runtime.h>
#include <memory>

int *deviceCopy(const int *values, int n) {
  void *data = nullptr;
  cudaMalloc(&data, n * sizeof(int));
  cudaMemcpy(data, values, n * sizeof(int), cudaMemcpyHostToDevice);
  return static_cast<int *>(data);
}

bool isExpected(const int *values, int n) {
  for (int i = 0; i < n; ++i)
    if (values[i] != 1000 + FACTOR * i - i)
      return false;
  return true;
}
