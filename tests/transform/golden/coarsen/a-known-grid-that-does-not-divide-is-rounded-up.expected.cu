// heddle opt --assume whole-program -d "coarsen grid=4 map=blocked"

#include <heddle/launch.cuh>

__global__ void k(float *a) {
  #pragma unroll
  for (unsigned kb = 0; kb < 4; ++kb) {
    const unsigned blockX = blockIdx.x * 4 + kb;
    if (blockX >= 6u)
      break;
    a[blockX * 64 + threadIdx.x] = 6u;
  }
}
void f(float *a) { k<<<heddle::roundedGrid<4>(dim3(6, 2)), 64>>>(a); }
