// heddle opt --assume whole-program -d "coarsen x=2"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void gone(float *a) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  a[block.group_index().x * block.size() + block.thread_rank()] = tile.meta_group_rank();
}
__global__ void needed(float *a) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  auto unused = cg::tiled_partition<4>(block);
  float sum = tile.shfl_down(a[block.thread_rank()], 1);
  a[block.thread_rank()] = sum + tile.meta_group_rank();
}
template <int N> __global__ void instantiated(float *a) {
  auto block = cg::this_thread_block();
  a[block.thread_rank()] = N;
}
template <bool Waits> __global__ void waiting(float *a) {
  auto block = cg::this_thread_block();
  a[block.thread_rank()] = 1;
  if constexpr (Waits)
    block.sync();
}
void f(float *a) {
  gone<<<4, 256>>>(a);
  needed<<<1, 256>>>(a);
  instantiated<3><<<1, 256>>>(a);
  waiting<false><<<1, 256>>>(a);
}
