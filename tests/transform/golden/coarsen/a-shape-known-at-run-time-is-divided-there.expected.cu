// heddle opt --assume whole-program -d "coarsen x=2"

#include <cstdio>
#include <heddle/launch.cuh>

__global__ void k(float *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = 1.0f;
  }
}
void f(int n) { k<<<1, heddle::mergedBlock<2, 1, 1>(n, "k")>>>(nullptr); }
