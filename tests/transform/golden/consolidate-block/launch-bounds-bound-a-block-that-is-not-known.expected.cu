// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

#include <heddle/consolidate.cuh>

__global__ void __launch_bounds__(32) k(const unsigned blockThreads, int *a) {
  if (threadIdx.x >= blockThreads) return;
  __shared__ int s[128];
  for (unsigned kx = 0; kx < 4; ++kx) {
    const unsigned thread = threadIdx.x + kx * 32;
    if (thread >= blockThreads)
      break;
    s[thread] = 1;
  }
  __syncwarp();
  for (unsigned kx = 0; kx < 4; ++kx) {
    const unsigned thread = threadIdx.x + kx * 32;
    if (thread >= blockThreads)
      break;
    a[thread] = s[0];
  }
}
void f(int *a, int n) { k<<<1, 32>>>(heddle::blockThreads<128>(n, "k"), a); }
