// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  __shared__ int s[1024];
  s[threadIdx.x] = b[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[threadIdx.x / 2];
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 48>>>(a, b, 7);
}
