// heddle opt --assume whole-program -d "consolidate remap=on delegate=off"

#include <heddle/striped.cuh>

__global__ void k(int *a) {
  heddle::Striped<int, 64> s;
  #pragma unroll
  for (unsigned ky = 0; ky < 2; ++ky)
    s.own(ky) = 1;
  __syncwarp();
  a[threadIdx.y * 16 + threadIdx.x] = s.ahead(16);
}
int main() { k<<<1, dim3(16, 2)>>>(nullptr); }
