// heddle opt --assume whole-program -d "coarsen x=2"

#define X 3
#define grid 64
#define CHECKED(call) call
#define _LIMIT 5

#pragma push_macro("X")
#undef X
#pragma push_macro("grid")
#undef grid
#include <heddle/launch.cuh>
#pragma pop_macro("X")
#pragma pop_macro("grid")

__global__ void k(float *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] *= X;
  }
}
void f(float *a, int n) { k<<<grid, heddle::mergedBlock<2, 1, 1>(n, "k")>>>(a); }
