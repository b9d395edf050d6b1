// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

#include <heddle/consolidate.cuh>

__global__ void k(const dim3 blockShape, int *a, const int *b, int n) {
  const unsigned blockThreads = blockShape.x * blockShape.y * blockShape.z; if (threadIdx.x >= blockThreads) return;
  __shared__ int s[1024];
  for (unsigned kx = 0; kx < 32; ++kx) {
    const unsigned thread = threadIdx.x + kx * 32;
    if (thread >= blockThreads)
      break;
    s[(thread / blockShape.x % blockShape.y) * blockShape.x + (thread % blockShape.x)] = b[(thread / blockShape.x % blockShape.y) * blockShape.x + (thread % blockShape.x)];
  }
  __syncwarp();
  for (unsigned kx = 0; kx < 32; ++kx) {
    const unsigned thread = threadIdx.x + kx * 32;
    if (thread >= blockThreads)
      break;
    a[(thread / blockShape.x % blockShape.y) * blockShape.x + (thread % blockShape.x)] = s[(thread / blockShape.x % blockShape.y) * blockShape.x + (thread % blockShape.x) / 2];
  }
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 32>>>(heddle::blockShape<1024>(shape, "k"), a, b, 7);
}
