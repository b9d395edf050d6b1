// heddle opt --assume whole-program -d "coarsen grid=2; coarsen grid=2"

#include <heddle/launch.cuh>

__global__ void k(const unsigned gridX2, const unsigned gridX, float *a) {
  #pragma unroll
  for (unsigned kb2 = 0; kb2 < 2; ++kb2) {
    const unsigned blockX2 = blockIdx.x + kb2 * gridDim.x;
    if (blockX2 >= gridX2)
      break;
    #pragma unroll
    for (unsigned kb = 0; kb < 2; ++kb) {
      const unsigned blockX = blockX2 + kb * gridX2;
      if (blockX >= gridX)
        break;
      a[blockX * 64 + threadIdx.x] = gridX;
    }
  }
}
void f(float *a, int blocks) { k<<<heddle::roundedGrid<2>(heddle::roundedGrid<2>(blocks)), 64>>>(heddle::roundedGrid<2>(blocks).x, blocks, a); }
