// heddle opt --assume whole-program -d "coarsen x=2"

#include <new>
struct Made { int v; __device__ Made(int *p) : v(atomicAdd(p, 1)) {} };
__global__ void k(float *a, int *c) {
  __shared__ float s[64];
  Made made(c + threadIdx.x);
  s[threadIdx.x] = 1;
  __syncthreads();
  a[threadIdx.x] = s[63 - threadIdx.x] + made.v;
}
int main() { k<<<4, 64>>>(nullptr, nullptr); }
