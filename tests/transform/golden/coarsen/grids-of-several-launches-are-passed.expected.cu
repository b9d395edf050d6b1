// heddle opt --assume whole-program -d "coarsen grid=2"

#include <heddle/launch.cuh>

__device__ unsigned width(const unsigned gridX) { return gridX; }
template <class T> __global__ void k(const unsigned gridX, T *a);
template <class T> __global__ void k(const unsigned gridX, T *a) {
  #pragma unroll
  for (unsigned kb = 0; kb < 2; ++kb) {
    const unsigned blockX = blockIdx.x + kb * gridDim.x;
    if (blockX >= gridX)
      break;
    a[(blockIdx.y * width(gridX) + blockX) * 64 + threadIdx.x] += gridDim.y;
  }
}
void f(float *a, int *b, dim3 grid, int rows) {
  k<<<heddle::roundedGrid<2>(grid), 64>>>(grid.x, a);
  k<<<heddle::roundedGrid<2>(dim3(rows / 2, rows)), 64>>>(rows / 2, b);
  k<<<heddle::roundedGrid<2>(5), 64>>>(5, b);
}
