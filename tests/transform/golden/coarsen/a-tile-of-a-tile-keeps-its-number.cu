// heddle opt --assume whole-program -d "coarsen x=2"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned *a, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto tile = cg::tiled_partition<8>(warp);
  a[blockIdx.x * blockDim.x + threadIdx.x] = tile.meta_group_rank() + 10 * tile.meta_group_size();
}
int main() { k<<<4, 256>>>(nullptr, 0); }
