// heddle opt --assume whole-program -d "coarsen x=2"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float *a) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    float v = a[blockIdx.x * (blockDim.x * 2) + threadX];
    for (unsigned i = tile.size() / 2; i > 0; i /= 2)
      v += tile.shfl_down(v, i);
    a[blockIdx.x * (blockDim.x * 2) + threadX] = v;
  }
}
int main() { k<<<4, 128 / 2>>>(nullptr); }
