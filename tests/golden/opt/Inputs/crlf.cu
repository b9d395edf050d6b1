#include <cstdio>
__global__ void scale(float *a) { // one element
  a[threadIdx.x] *= 2.0f;
}
void run(float *a, int n) { scale<<<1, n>>>(a); }
