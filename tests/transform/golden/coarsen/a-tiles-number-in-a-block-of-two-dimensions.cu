// heddle opt --assume whole-program -d "coarsen y=2"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float *a, const float *b, int n) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  a[threadIdx.y * 32 + threadIdx.x] = tile.meta_group_size() * n + tile.meta_group_rank();
}
int main() { k<<<4, dim3(32, 8)>>>(nullptr, nullptr, 0); }
