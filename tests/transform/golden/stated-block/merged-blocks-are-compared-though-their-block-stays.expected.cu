// heddle opt --assume whole-program --block 128 -d "coarsen grid=2"

#include <heddle/launch.cuh>

__global__ void k(const unsigned gridX, float *a) {
  #pragma unroll
  for (unsigned kb = 0; kb < 2; ++kb) {
    const unsigned blockX = blockIdx.x + kb * gridDim.x;
    if (blockX >= gridX)
      break;
    int i = blockX * blockDim.x + threadIdx.x;
    a[i] = a[i] * 2.0f;
  }
}
void f(float *a, int n, int threads) { k<<<heddle::roundedGrid<2>(n / threads), heddle::statedBlock<128, 1, 1>(threads, "k")>>>(n / threads, a); }
