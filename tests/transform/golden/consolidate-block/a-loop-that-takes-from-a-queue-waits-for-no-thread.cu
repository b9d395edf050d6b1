// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  __syncthreads();
  int i;
  while ((i = atomicAdd(a, 1)) < n)
    a[i + 64] = threadIdx.x;
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 64>>>(a, b, 7);
}
