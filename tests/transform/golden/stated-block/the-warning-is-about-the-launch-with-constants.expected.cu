// heddle opt --assume whole-program --block 128,1,1 -d "coarsen x=2"

#include <heddle/launch.cuh>

__global__ void k(int *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = 1;
  }
}
void f(int *a, int n) {
  k<<<1, 256 / 2>>>(a);
  k<<<1, heddle::mergedBlock<2, 1, 1>(heddle::statedBlock<128, 1, 1>(n, "k"), "k")>>>(a);
}
