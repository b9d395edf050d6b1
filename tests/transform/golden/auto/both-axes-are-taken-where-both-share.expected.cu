// heddle opt --assume whole-program --remarks -d auto

__global__ void product(float *c, const float *a, const float *b, int n) {
  __shared__ float ta[32][32], tb[32][32];
  float sum[8][2] = {};
  for (int t = 0; t < n; ++t) {
    #pragma unroll
    for (unsigned ky = 0; ky < 8; ++ky) {
      const unsigned threadY = threadIdx.y + ky * blockDim.y;
      #pragma unroll
      for (unsigned kx = 0; kx < 2; ++kx) {
        const unsigned threadX = threadIdx.x + kx * blockDim.x;
        int x = threadX;
        int y = threadY;
        ta[y][x] = a[(t * 32 + y) * 32 + x];
        tb[y][x] = b[(t * 32 + y) * 32 + x];
      }
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      #pragma unroll
      for (unsigned ky = 0; ky < 8; ++ky) {
        const unsigned threadY = threadIdx.y + ky * blockDim.y;
        #pragma unroll
        for (unsigned kx = 0; kx < 2; ++kx) {
          const unsigned threadX = threadIdx.x + kx * blockDim.x;
          int x = threadX;
          int y = threadY;
          sum[ky][kx] += ta[y][k] * tb[k][x];
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (unsigned ky = 0; ky < 8; ++ky) {
    const unsigned threadY = threadIdx.y + ky * blockDim.y;
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int x = threadX;
      int y = threadY;
      c[y * 32 + x] = sum[ky][kx];
    }
  }
}
void f() { product<<<4096, dim3(32 / 2, 32 / 8)>>>(nullptr, nullptr, nullptr, 9); }
