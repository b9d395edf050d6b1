// heddle opt --assume whole-program -d "coarsen x=2"

struct S { int v; __device__ S() { asm("mov.u32 %0, %%laneid;" : "=r"(v)); } };
__global__ void k(int *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    S s;
    a[threadX] = s.v;
  }
}
int main() { k<<<1, 64 / 2>>>(nullptr); }
