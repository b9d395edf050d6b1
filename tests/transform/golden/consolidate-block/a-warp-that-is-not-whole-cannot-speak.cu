// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  a[threadIdx.x] = __shfl_down_sync(0xffffffff, b[threadIdx.x], 1);
  __syncthreads();
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 48>>>(a, b, 7);
}
