// heddle opt --assume whole-program -d "coarsen grid=3"

#include <heddle/launch.cuh>

__global__ void k(const unsigned gridX, float *a, const float *b, int n, int rounds) {
  #pragma unroll
  for (unsigned kb = 0; kb < 3; ++kb) {
    const unsigned blockX = blockIdx.x + kb * gridDim.x;
    if (blockX >= gridX)
      break;
    int i = blockX * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (i >= n)
      continue;
    for (int r = 0; r < rounds; ++r)
      sum += b[r] * b[r + i];
    a[i] = sum;
  }
}
void f(float *a, const float *b, int n) { k<<<heddle::roundedGrid<3>((n + 63) / 64), 64>>>((n + 63) / 64, a, b, n, 3); }
