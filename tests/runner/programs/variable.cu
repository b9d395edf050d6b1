// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result in a __managed__ variable, which only nvcc compiles: nothing copies it back. The kernel adds to it, so that a
// launch that is made again has to find what the first one found.
#include <cstdlib>

__managed__ int total[32];

__global__ void add(int value) {
  if (total[threadIdx.x] != 0)
    __trap();
  total[threadIdx.x] += value;
}

int main(int, char **argv) {
  add<<<1, 32>>>(std::atoi(argv[1]));
  cudaDeviceSynchronize();
  return 0;
}
