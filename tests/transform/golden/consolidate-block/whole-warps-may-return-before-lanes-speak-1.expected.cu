// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  __syncwarp();
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    unsigned tid = threadX;
    if (tid >= 32)
      continue;
    a[tid] = __shfl_down_sync(0xffffffff, b[tid], 1);
  }
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 32>>>(a, b, 7);
}
