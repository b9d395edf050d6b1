// heddle opt --assume whole-program --block 128 -d "coarsen x=2" -d "coarsen x=2" -d launch-bounds

#include <heddle/launch.cuh>

__global__ void __launch_bounds__(32) k(float *a) {
  #pragma unroll
  for (unsigned kx2 = 0; kx2 < 2; ++kx2) {
    const unsigned threadX2 = threadIdx.x + kx2 * blockDim.x;
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadX2 + kx * (blockDim.x * 2);
      int i = blockIdx.x * ((blockDim.x * 2) * 2) + threadX;
      a[i] = a[i] * 2.0f;
    }
  }
}
void f(float *a, int n, int threads) { k<<<n / threads, heddle::mergedBlock<2, 1, 1>(heddle::mergedBlock<2, 1, 1>(heddle::statedBlock<128, 1, 1>(threads, "k"), "k"), "k")>>>(a); }
