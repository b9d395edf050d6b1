// A directive of the command line applies to all kernels of the file, and one that it cannot be applied to ends it: the message says how to
// name another. With -k, or in a file with one kernel, there is nothing to add.
// RUN: not %heddle opt %s -o %t.cu -d specialize --cuda-path none 2>&1 | FileCheck %s
// RUN: not %heddle opt %s -o %t.cu -d specialize -k scale --cuda-path none 2>&1 | FileCheck %s --check-prefix=NAMED
// CHECK: one-of-several.cu:[[# @LINE + 6]]:17: error: there is no loop that loads a tile
// CHECK: hint: -k NAME applies the directive to one of the kernels of this file
// NAMED: one-of-several.cu:[[# @LINE + 4]]:17: error: there is no loop that loads a tile
// NAMED-NOT: hint
#include <cuda_runtime.h>

__global__ void scale(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

__global__ void shift(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 2; }

int main() {
  float *a;
  cudaMalloc(&a, 1024 * sizeof(float));
  scale<<<4, 256>>>(a);
  shift<<<4, 256>>>(a);
  return cudaFree(a);
}
