// heddle opt --assume whole-program -d "coarsen y=2"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float *a, const float *b, int n) {

  #pragma unroll
  for (unsigned ky = 0; ky < 2; ++ky) {
    const unsigned threadY = threadIdx.y + ky * blockDim.y;
    a[threadY * 32 + threadIdx.x] = ((blockDim.x * (blockDim.y * 2) * blockDim.z + 8 - 1) / 8) * n + ((threadIdx.x + blockDim.x * (threadY + (blockDim.y * 2) * threadIdx.z)) / 8);
  }
}
int main() { k<<<4, dim3(32, 8 / 2)>>>(nullptr, nullptr, 0); }
