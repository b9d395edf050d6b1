// heddle opt --assume whole-program --remarks -d "consolidate remap=on delegate=off"

#include <heddle/striped.cuh>

__global__ void k(int *a) {
  heddle::Striped<int, 64> s;
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    s.own(kx) = a[threadX];
  }
  __syncwarp();
  #pragma unroll
  for (int half = 32; half > 0; half >>= 1) {
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * 32;
      const int sAhead = s.ahead(kx * 32 + half);
      if (threadX < half)
        s.own(kx) += sAhead;
    }
    __syncwarp();
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    if (threadX == 0)
      a[0] = s.own(kx);
  }
}
int main() { k<<<1, 32>>>(nullptr); }
