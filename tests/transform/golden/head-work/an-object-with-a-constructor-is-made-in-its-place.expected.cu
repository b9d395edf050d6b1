// heddle opt --assume whole-program -d "coarsen x=2"

#include <new>
struct Made { int v; __device__ Made(int *p) : v(atomicAdd(p, 1)) {} };
__global__ void k(float *a, int *c) {
  __shared__ float s[64];
  union madeSlot { __device__ madeSlot() {} Made value; } made[2];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    new ((void *)&made[kx].value) Made(c + threadX);
    s[threadX] = 1;
  }
  __syncthreads();
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = s[63 - threadX] + made[kx].value.v;
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr); }
