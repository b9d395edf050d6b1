// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of two .cu files with kernels and constants of the same names, and one .cpp file.
#include "../Check.h"
#include "shared.h"

static __constant__ int factor = -1;

static __global__ void add(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] += factor * i;
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  int n = std::atoi(argv[1]);
  std::vector<int> values(n, 1000);
  int *data = deviceCopy(values.data(), n);
  addOnDevice(data, n);
  add<<<(n + 63) / 64, 64>>>(data, n);
  CHECK_LAUNCH();
  CHECK_CUDA(cudaMemcpy(values.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(isExpected(values.data(), n));
  CHECK_CUDA(cudaFree(data));
  return pass();
}
