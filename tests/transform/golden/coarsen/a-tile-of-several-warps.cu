// heddle opt --assume whole-program -d "coarsen x=2"
// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(unsigned *a, int n) {
  auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  a[blockIdx.x * blockDim.x + threadIdx.x] = tile.thread_rank();
}
int main() { k<<<4, 256>>>(nullptr, 0); }
