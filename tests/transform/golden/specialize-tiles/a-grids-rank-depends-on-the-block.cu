// heddle opt --assume whole-program -d "specialize copy=ld"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *out, const int *in, int n) {
  __shared__ int tile[64];
  int sum = 0;
  for (int s = 0; s < n; s += 64) {
    tile[threadIdx.x] = in[s + threadIdx.x];
    __syncthreads();
    sum += tile[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum + cg::this_grid().thread_rank();
}
int main() { k<<<1, 64>>>(nullptr, nullptr, 0); }
