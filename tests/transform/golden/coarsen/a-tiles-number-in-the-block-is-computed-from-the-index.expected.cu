// heddle opt --assume whole-program -d "coarsen x=2"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float *a, const float *b, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    float s = b[blockIdx.x * (blockDim.x * 2) + threadX];
    for (int d = 16; d > 0; d /= 2)
      s += tile.shfl_down(s, d);
    if (tile.thread_rank() == 0)
      a[blockIdx.x * (((blockDim.x * 2) + 32 - 1) / 32) + (threadX / 32)] = s;
  }
}
int main() { k<<<4, 256 / 2>>>(nullptr, nullptr, 0); }
