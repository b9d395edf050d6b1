// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  __shared__ int s[1024];
  s[threadIdx.y * blockDim.x + threadIdx.x] = b[threadIdx.y * blockDim.x + threadIdx.x];
  __syncthreads();
  a[threadIdx.y * blockDim.x + threadIdx.x] = s[threadIdx.y * blockDim.x + threadIdx.x / 2];
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, shape>>>(a, b, 7);
}
