// The writer of an element is the last one before the copy that differs: a later launch writes the same memory, before a copy that
// agrees.
// RUN: sed 's/^#define OFFSET 0/#define OFFSET 1/' %s > %t.bug.cu
// RUN: not %heddle verify %s %t.bug.cu --compiler clang | FileCheck %s
// CHECK: differ at device-to-host copy 1
// CHECK: element     [5] (int32): 50 in
// CHECK: written by  kernel first(int*), launch 1, block (0,0,0) thread 5 in {{.*}}writer.cu
// CHECK: written by  kernel first(int*), launch 1, block (0,0,0) thread 5 in {{.*}}bug.cu
#define OFFSET 0
#include <cstdio>

__global__ void first(int *cells) { cells[threadIdx.x] = threadIdx.x * 10 + (threadIdx.x == 5 ? OFFSET : 0); }
__global__ void second(int *cells) { cells[31 - threadIdx.x] = threadIdx.x; }

int main() {
  int *cells, host[32];
  cudaMalloc(&cells, sizeof host);
  first<<<1, 32>>>(cells);
  cudaMemcpy(host, cells, sizeof host, cudaMemcpyDeviceToHost);
  second<<<1, 32>>>(cells);
  cudaMemcpy(host, cells, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d\n", host[0]);
}
