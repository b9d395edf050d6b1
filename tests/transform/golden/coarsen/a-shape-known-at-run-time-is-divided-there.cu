// heddle opt --assume whole-program -d "coarsen x=2"

#include <cstdio>
__global__ void k(float *a) { a[threadIdx.x] = 1.0f; }
void f(int n) { k<<<1, n>>>(nullptr); }
