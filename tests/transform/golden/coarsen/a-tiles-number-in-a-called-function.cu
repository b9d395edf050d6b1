// heddle opt --assume whole-program -d "coarsen x=2"
// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned warpOf() { return cg::tiled_partition<32>(cg::this_thread_block()).meta_group_rank(); }
__global__ void k(unsigned *a, int n) { a[blockIdx.x * blockDim.x + threadIdx.x] = warpOf(); }
int main() { k<<<4, 256>>>(nullptr, 0); }
