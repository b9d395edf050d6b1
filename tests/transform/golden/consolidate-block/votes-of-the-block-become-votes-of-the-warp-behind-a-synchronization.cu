// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  int any = __syncthreads_or(b[threadIdx.x]);
  int all = __syncthreads_and(b[threadIdx.x] > 1);
  a[threadIdx.x] = any + all;
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 64>>>(a, b, 7);
}
