// heddle opt --assume whole-program --block 16,16 -d "consolidate remap=off delegate=off" -d launch-bounds

#include <heddle/launch.cuh>

#include <heddle/consolidate.cuh>

__global__ void __launch_bounds__(32) k(float *a, int width) {
  int x = blockIdx.x * 16u + threadIdx.x, y = blockIdx.y * 2u + threadIdx.y;
  a[y * width + x] = 2.0f;
}
void f(float *a, int width, dim3 grid, dim3 block) { k<<<heddle::grownGrid<1, 8, 1>(grid, "k"), heddle::warpOf<16, 16, 1, 16, 2, 1>(block, "k")>>>(a, width); }
