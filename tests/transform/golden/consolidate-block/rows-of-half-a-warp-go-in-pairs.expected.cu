// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  __shared__ int s[1024];
  #pragma unroll
  for (unsigned ky = 0; ky < 8; ++ky) {
    const unsigned threadY = threadIdx.y + ky * 2;
    s[threadY * 16 + threadIdx.x] = b[threadY * 16 + threadIdx.x];
  }
  __syncwarp();
  #pragma unroll
  for (unsigned ky = 0; ky < 8; ++ky) {
    const unsigned threadY = threadIdx.y + ky * 2;
    a[threadY * 16 + threadIdx.x] = s[threadY * 16 + threadIdx.x / 2];
  }
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, dim3(16, 2)>>>(a, b, 7);
}
