// heddle opt --assume whole-program -d "coarsen x=2"

// -- all.h, in place of its #include --
// -- scale.h, in place of its #include --
#include "Inputs/deep/within/size.h"
__global__ void scale(float *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] *= 2.0f;
  }
}
// -- end of scale.h --
// -- end of all.h --
void f(float *a) { scale<<<4, 64 / 2>>>(a); }
