// heddle opt --assume whole-program --remarks -d consolidate

#include <heddle/striped.cuh>

__global__ void k(int *a, const int *b) {
  heddle::Striped<int, 256> s;
  #pragma unroll
  for (unsigned kx = 0; kx < 8; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    s.own(kx) = b[blockIdx.x * 256 + threadX];
  }
  __syncwarp();
  #pragma unroll
  for (int half = 128; half > 0; half /= 2) {
    #pragma unroll
    for (unsigned kx = 0; kx < 8; ++kx) {
      const unsigned threadX = threadIdx.x + kx * 32;
      const int sAhead = s.ahead(kx * 32 + half);
      if (threadX < half)
        s.own(kx) += sAhead;
    }
    __syncwarp();
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 8; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    if (threadX == 0)
      a[blockIdx.x] = s.own(kx);
  }
}
void f(int *a, int *b) { k<<<5000, 32>>>(a, b); }
