// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For docs.json: a program that two.cu differs from in a copy, in stdout and in its exit code, unless its argument is 0. It
// fails on arguments above 1, and prints a time.
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#ifndef ADDED
#define ADDED 0
#endif

__global__ void scale(float *out, int factor) { out[threadIdx.x] = float(factor) * (threadIdx.x + ADDED); }

int main(int argc, char **argv) {
  int factor = argc > 1 ? atoi(argv[1]) : 1;
  if (factor > 1)
    return 1;
  float *out, host[32];
  cudaMalloc(&out, sizeof host);
  scale<<<1, 32>>>(out, factor);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("took %d.5 ms\n", int(getpid()));
  printf("first: %g\n", host[0]);
  return host[0] == 0 ? 0 : 3;
}
