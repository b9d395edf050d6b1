// heddle opt --assume whole-program --remarks -d auto

__global__ void k(float *out, const float *in, int n) {
  float sum[4] = {};
  for (int first = blockIdx.x * (blockDim.x * 4); first < n; first += gridDim.x * (blockDim.x * 4)) {
    #pragma unroll
    for (unsigned kx = 0; kx < 4; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int i = first + threadX;
      if (i < n)
        sum[kx] += in[i];
    }
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 4; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    out[blockIdx.x * (blockDim.x * 4) + threadX] = sum[kx];
  }
}
void f(int n) { k<<<n, 256 / 4>>>(nullptr, nullptr, n); }
