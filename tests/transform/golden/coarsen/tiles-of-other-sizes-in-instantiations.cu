// heddle opt --assume whole-program -d "coarsen x=2"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <int N> __global__ void k(unsigned *a, int n) {
  auto tile = cg::tiled_partition<N>(cg::this_thread_block());
  a[blockIdx.x * blockDim.x + threadIdx.x] = tile.meta_group_rank();
}
int main() {
  k<16><<<4, 256>>>(nullptr, 0);
  k<32><<<4, 256>>>(nullptr, 0);
}
