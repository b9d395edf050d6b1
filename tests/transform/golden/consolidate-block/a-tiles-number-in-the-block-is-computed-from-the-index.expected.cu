// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float *a, const float *b, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  float s[4];
  #pragma unroll
  for (unsigned kx = 0; kx < 4; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    s[kx] = b[blockIdx.x * 128u + threadX];
    for (int d = 16; d > 0; d /= 2)
      s[kx] += tile.shfl_down(s[kx], d);
  }
  __syncwarp();
  #pragma unroll
  for (unsigned kx = 0; kx < 4; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    if (tile.thread_rank() == 0)
      a[blockIdx.x * ((128u + 32 - 1) / 32) + (threadX / 32)] = s[kx];
  }
}
int main() { k<<<1000, 32>>>(nullptr, nullptr, 0); }
