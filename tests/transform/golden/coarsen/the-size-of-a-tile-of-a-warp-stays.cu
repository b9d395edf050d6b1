// heddle opt --assume whole-program -d "coarsen x=2"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float *a) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  float v = a[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned i = tile.size() / 2; i > 0; i /= 2)
    v += tile.shfl_down(v, i);
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, 128>>>(nullptr); }
