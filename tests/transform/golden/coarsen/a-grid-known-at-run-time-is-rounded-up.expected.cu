// heddle opt --assume whole-program -d "coarsen grid=2"

#include <heddle/launch.cuh>

__global__ void k(const unsigned gridX, float *a, int n) {
  #pragma unroll
  for (unsigned kb = 0; kb < 2; ++kb) {
    const unsigned blockX = blockIdx.x + kb * gridDim.x;
    if (blockX >= gridX)
      break;
    int i = blockX * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2.0f;
  }
}
void f(float *a, int n) { k<<<heddle::roundedGrid<2>((n + 255) / 256), 256>>>((n + 255) / 256, a, n); }
