// heddle opt --assume whole-program -d "coarsen grid=2"

#include <heddle/launch.cuh>

static int blocksFor(int n) {
  int blocks = n / 64;
  if (n % 64)
    ++blocks;
  return blocks;
}
__global__ void k(const unsigned gridX, float *a) {
  #pragma unroll
  for (unsigned kb = 0; kb < 2; ++kb) {
    const unsigned blockX = blockIdx.x + kb * gridDim.x;
    if (blockX >= gridX)
      break;
    a[blockX * 64 + threadIdx.x] = 1.0f;
  }
}
void f(float *a, int n) { k<<<heddle::roundedGrid<2>(blocksFor(n)), 64>>>(blocksFor(n), a); }
