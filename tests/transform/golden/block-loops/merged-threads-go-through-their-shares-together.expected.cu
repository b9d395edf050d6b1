// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *out, const float *in, int n) {
  float sum[2] = {};
  for (int first = blockIdx.x * (blockDim.x * 2); first < n; first += gridDim.x * (blockDim.x * 2)) {
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int i = first + threadX;
      if (i < n)
        sum[kx] += in[i];
    }
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    out[blockIdx.x * (blockDim.x * 2) + threadX] = sum[kx];
  }
}
void f() { k<<<64, 128 / 2>>>(nullptr, nullptr, 99999); }
