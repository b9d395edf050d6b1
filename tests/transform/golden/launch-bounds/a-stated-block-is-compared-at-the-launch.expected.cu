// heddle opt --assume whole-program --block 128,1,1 -d launch-bounds

#include <heddle/launch.cuh>

__global__ void __launch_bounds__(128) k(float *a) { a[threadIdx.x] = 1.0f; }
void f(float *a, int n) { k<<<4, heddle::statedBlock<128, 1, 1>(n, "k")>>>(a); }
