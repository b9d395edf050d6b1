// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that do something else when they are launched once more on what they left behind: the first adds to its
// argument until a bound, the second takes numbers from a counter, a variable of the device. Freed before the end, as
// usual. With an argument it ends as that says.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

__device__ unsigned taken;
__constant__ float step;

__global__ void accumulate(float *values, int n) {
  int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    while (values[i] < 100)
      values[i] += step;
}

__global__ void number(unsigned *order, unsigned n) {
  unsigned place = atomicAdd(&taken, 1u);
  if (place >= n)
    __trap(); // a second launch, without the counter set back
  order[place] = 1;
}

int main(int argc, char **argv) {
  const int n = 256;
  float host[n] = {}, by = 1;
  float *values;
  unsigned *order;
  cudaMalloc(&values, sizeof host);
  cudaMalloc(&order, n * sizeof(unsigned));
  cudaMemcpyToSymbol(step, &by, sizeof by);
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  accumulate<<<n / 64, 64>>>(values, n);
  number<<<n / 32, 32>>>(order, n);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(values);
  cudaFree(order);
  if (argc > 1 && !std::strcmp(argv[1], "reset"))
    cudaDeviceReset();
  if (argc > 1 && !std::strcmp(argv[1], "_exit"))
    _exit(host[0] != 100);
  if (argc > 1 && !std::strcmp(argv[1], "fail"))
    return 5;
  if (argc > 1 && !std::strcmp(argv[1], "exit"))
    std::exit(host[0] != 100);
  return host[0] != 100;
}
