// heddle opt --assume whole-program -d "consolidate remap=on delegate=off"

#include <heddle/striped.cuh>

__global__ void k(int *a, const int *b, int n) {
  heddle::Striped<int, 256> s;
  #pragma unroll
  for (unsigned kx = 0; kx < 8; ++kx) {
    const unsigned t = threadIdx.x + kx * 32;
    s.own(kx) = b[t];
  }
  __syncwarp();
  #pragma unroll
  for (unsigned kx = 0; kx < 8; ++kx) {
    const unsigned t = threadIdx.x + kx * 32;
    const int other = t + 1; if (other < n) a[t] = s.own(kx);
  }
}
int main() { k<<<4, 32>>>(nullptr, nullptr, 0); }
