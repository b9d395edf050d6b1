// heddle opt --assume whole-program -d "coarsen x=2"

#include "Inputs/scale.h"
void f(float *a) { scale<<<4, 64>>>(a); }
__global__ void own(float *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = 1.0f;
  }
}
