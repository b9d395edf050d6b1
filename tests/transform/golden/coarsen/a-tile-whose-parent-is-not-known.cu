// heddle opt --assume whole-program -d "coarsen x=2"
// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned *a, int n) {
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  a[blockIdx.x * blockDim.x + threadIdx.x] = tile.meta_group_rank();
}
int main() { k<<<4, 256>>>(nullptr, 0); }
