// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

#include <heddle/consolidate.cuh>

__global__ void k(const unsigned blockThreads, int *a, const int *b, int n) {
  if (threadIdx.x >= blockThreads) return;
  __shared__ int s[1024];
  for (unsigned kx = 0; kx < 32; ++kx) {
    const unsigned thread = threadIdx.x + kx * 32;
    if (thread >= blockThreads)
      break;
    s[(blockThreads - 1 - thread)] = b[(blockThreads - 1 - thread)];
  }
  __syncwarp();
  for (unsigned kx = 0; kx < 32; ++kx) {
    const unsigned thread = threadIdx.x + kx * 32;
    if (thread >= blockThreads)
      break;
    a[(blockThreads - 1 - thread)] = s[(blockThreads - 1 - thread) / 2];
  }
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 32>>>(heddle::blockThreads<1024>(threads, "k"), a, b, 7);
}
