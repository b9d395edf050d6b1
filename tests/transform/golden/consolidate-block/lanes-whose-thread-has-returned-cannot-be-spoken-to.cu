// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  if (b[threadIdx.x] < 0)
    return;
  __syncthreads();
  a[threadIdx.x] = __shfl_down_sync(0xffffffff, b[threadIdx.x], 1);
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 64>>>(a, b, 7);
}
