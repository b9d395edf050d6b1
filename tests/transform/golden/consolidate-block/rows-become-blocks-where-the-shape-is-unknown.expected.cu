// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

#include <heddle/consolidate.cuh>

__global__ void k(int *a) {
  a[(blockIdx.y * 1u + 0u) * 64 + blockIdx.x * 32u + threadIdx.x] = 1;
}
void f(int *a, dim3 grid) { k<<<heddle::grownGrid<1, 8, 1>(grid, "k"), 32>>>(a); }
