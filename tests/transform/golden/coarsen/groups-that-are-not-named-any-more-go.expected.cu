// heddle opt --assume whole-program -d "coarsen x=2"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void gone(float *a) {


  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[blockIdx.x * (blockDim.x * 2) + threadX] = (threadX / 8);
  }
}
__global__ void needed(float *a) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  auto unused = cg::tiled_partition<4>(block);
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    float sum = tile.shfl_down(a[threadX], 1);
    a[threadX] = sum + (threadX / 8);
  }
}
template <int N> __global__ void instantiated(float *a) {

  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = N;
  }
}
template <bool Waits> __global__ void waiting(float *a) {
  auto block = cg::this_thread_block();
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = 1;
    if constexpr (Waits)
      block.sync();
  }
}
void f(float *a) {
  gone<<<4, 256 / 2>>>(a);
  needed<<<1, 256 / 2>>>(a);
  instantiated<3><<<1, 256 / 2>>>(a);
  waiting<false><<<1, 256 / 2>>>(a);
}
