// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  unsigned tid = threadIdx.x;
  __syncthreads();
  if (tid >= 31)
    return;
  a[tid] = __shfl_down_sync(0xffffffff, b[tid], 1);
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 64>>>(a, b, 7);
}
