// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  if (b[threadIdx.x] < 0)
    return;
  int count = __syncthreads_count(b[threadIdx.x] > 5);
  a[threadIdx.x] = count;
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 64>>>(a, b, 7);
}
