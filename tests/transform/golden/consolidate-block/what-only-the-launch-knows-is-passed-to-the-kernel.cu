// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  __shared__ int s[1024];
  s[(blockDim.x - 1 - threadIdx.x)] = b[(blockDim.x - 1 - threadIdx.x)];
  __syncthreads();
  a[(blockDim.x - 1 - threadIdx.x)] = s[(blockDim.x - 1 - threadIdx.x) / 2];
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, threads>>>(a, b, 7);
}
