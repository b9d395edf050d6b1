// heddle opt --assume whole-program --block 256,1,1 --remarks -d auto

__global__ void k(float *a, const float *b) {
  __shared__ float s[256];
  #pragma unroll
  for (unsigned kx = 0; kx < 4; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    s[threadX] = b[threadX];
  }
  __syncthreads();
  float sum[4] = {};
  for (int j = 0; j < 256; ++j) {
    #pragma unroll
    for (unsigned kx = 0; kx < 4; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      sum[kx] += s[j] * float(threadX);
    }
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 4; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = sum[kx];
  }
}
