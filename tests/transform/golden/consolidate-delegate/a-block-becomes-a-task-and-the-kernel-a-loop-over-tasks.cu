// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

#include <cstdio>

// Doubles what is there.
__global__ void k(float *a, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= n)
    return; // none
  a[i] *= 2.0f;
}
void f(float *a, cudaStream_t s) { k<<<8, dim3(32), 0, s>>>(a, 9); }
