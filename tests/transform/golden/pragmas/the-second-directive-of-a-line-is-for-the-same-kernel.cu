// heddle opt --assume whole-program
#include "Inputs/index.h"

__global__ void first(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

#pragma heddle coarsen x=2; coarsen x=2
__global__ void k(float *a) { a[blockIdx.x * blockDim.x + mine()] += 2; }

void f(float *a) {
  first<<<4, 64>>>(a);
  k<<<4, 64>>>(a);
}
