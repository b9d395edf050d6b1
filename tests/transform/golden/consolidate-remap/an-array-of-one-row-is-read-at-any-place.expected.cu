// heddle opt --assume whole-program -d "consolidate remap=on delegate=off"

#include <heddle/striped.cuh>

__global__ void k(int *a, const int *b) {
  heddle::Striped<int, 32> s;
  s.own(0) = b[threadIdx.x];
  __syncwarp();
  a[threadIdx.x] = s.in(0, int(b[threadIdx.x] & 31));
}
int main() { k<<<1, 32>>>(nullptr, nullptr); }
