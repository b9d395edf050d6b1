// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"


__global__ void k(int *a, const int *b, int n) {
  __shared__ int s[64];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    s[threadX] = b[threadX];
  }
  { // wait
    __syncwarp();
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    a[threadX] = s[63 - threadX];
  }
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 32>>>(a, b, 7);
}
