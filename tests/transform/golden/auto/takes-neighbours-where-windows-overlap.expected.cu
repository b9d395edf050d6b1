// heddle opt --assume whole-program --remarks -d auto

__global__ void k(float *out, const float *in) {
  __shared__ float piece[272];
  #pragma unroll
  for (unsigned kx = 0; kx < 4; ++kx) {
    const unsigned threadX = threadIdx.x * 4 + kx;
    for (int j = threadX; j < 272; j += 256)
      piece[j] = in[blockIdx.x * 256 + j];
  }
  __syncthreads();
  float sum[4] = {};
  for (int t = 0; t < 17; ++t) {
    #pragma unroll
    for (unsigned kx = 0; kx < 4; ++kx) {
      const unsigned threadX = threadIdx.x * 4 + kx;
      sum[kx] += piece[threadX + t];
    }
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 4; ++kx) {
    const unsigned threadX = threadIdx.x * 4 + kx;
    out[blockIdx.x * 256 + threadX] = sum[kx];
  }
}
void f() { k<<<65536, 256 / 4>>>(nullptr, nullptr); }
