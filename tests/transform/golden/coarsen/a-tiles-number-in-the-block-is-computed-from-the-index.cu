// heddle opt --assume whole-program -d "coarsen x=2"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float *a, const float *b, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  float s = b[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = 16; d > 0; d /= 2)
    s += tile.shfl_down(s, d);
  if (tile.thread_rank() == 0)
    a[blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()] = s;
}
int main() { k<<<4, 256>>>(nullptr, nullptr, 0); }
