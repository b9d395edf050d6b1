// heddle opt --assume whole-program -d "coarsen x=2"

struct S { int *p; __device__ ~S() { atomicAdd(p, 1); } };
__global__ void k(int *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    S s{a};
  }
}
int main() { k<<<1, 64 / 2>>>(nullptr); }
