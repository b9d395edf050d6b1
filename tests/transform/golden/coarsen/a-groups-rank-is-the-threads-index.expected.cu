// heddle opt --assume whole-program -d "coarsen x=2"

namespace cooperative_groups { struct thread_block { __device__ unsigned thread_rank() const; __device__ unsigned size() const; __device__ void sync() const; };
__device__ thread_block this_thread_block(); }
namespace cg = cooperative_groups;
__global__ void k(float *a, const float *b, int n) {
  cg::thread_block cta = cg::this_thread_block();
  __shared__ float s[64];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    s[threadX] = b[threadX];
  }
  cta.sync();
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = s[(blockDim.x * 2) - 1 - threadX];
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
