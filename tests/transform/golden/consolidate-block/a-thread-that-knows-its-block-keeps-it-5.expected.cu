// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  #pragma unroll
  for (unsigned kx = 0; kx < 8; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    int t = threadX;
    t += 1;
    a[blockIdx.x * 256u + t] = 1;
  }
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 32>>>(a, b, 7);
}
