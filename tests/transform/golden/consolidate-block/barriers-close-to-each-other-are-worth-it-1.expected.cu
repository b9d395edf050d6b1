// heddle opt --assume whole-program -k k -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b) {
  __shared__ int s[256];
  #pragma unroll
  for (unsigned kx = 0; kx < 8; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    s[threadX] = b[blockIdx.x * 256 + threadX];
  }
  __syncwarp();
  for (int half = 128; half > 0; half /= 2) {
    #pragma unroll
    for (unsigned kx = 0; kx < 8; ++kx) {
      const unsigned threadX = threadIdx.x + kx * 32;
      if (threadX < half)
        s[threadX] += s[threadX + half];
    }
    __syncwarp();
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 8; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    if (threadX == 0)
      a[blockIdx.x] = s[0];
  }
}
void f(int *a, int *b) { k<<<5000, 32>>>(a, b); }
