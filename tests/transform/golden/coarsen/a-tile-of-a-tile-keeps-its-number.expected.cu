// heddle opt --assume whole-program -d "coarsen x=2"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned *a, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto tile = cg::tiled_partition<8>(warp);
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[blockIdx.x * (blockDim.x * 2) + threadX] = tile.meta_group_rank() + 10 * tile.meta_group_size();
  }
}
int main() { k<<<4, 256 / 2>>>(nullptr, 0); }
