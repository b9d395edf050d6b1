// heddle opt --assume whole-program -d "coarsen x=2"

struct S { __device__ virtual int f(int i) const { return i; } };
__global__ void k(int *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    S s;
    a[s.f(threadX)] = 1;
  }
}
int main() { k<<<1, 64 / 2>>>(nullptr); }
