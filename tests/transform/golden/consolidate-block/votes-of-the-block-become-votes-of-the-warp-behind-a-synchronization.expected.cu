// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  int vote[2];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    vote[kx] = (b[threadX]) != 0;
  }
  int any = (__syncwarp(), __any_sync(0xffffffffu, vote[0] | vote[1]));
  int vote2[2];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    vote2[kx] = (b[threadX] > 1) != 0;
  }
  int all = (__syncwarp(), __all_sync(0xffffffffu, vote2[0] & vote2[1]));
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    a[threadX] = any + all;
  }
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 32>>>(a, b, 7);
}
