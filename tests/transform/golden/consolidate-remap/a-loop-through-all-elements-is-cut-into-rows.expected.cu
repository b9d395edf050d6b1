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
    int sum = 0;
    #pragma unroll
    for (int jRow = 0; jRow < 8; ++jRow)
    #pragma unroll 8
    for (int j = jRow * 32; j < jRow * 32 + 32; ++j)
      sum += s.in(jRow, j);
    a[t] = sum;
  }
}
int main() { k<<<4, 32>>>(nullptr, nullptr, 0); }
