// heddle opt --assume whole-program -d "coarsen x=2"

template <bool adds> __global__ void k(float *a, const float *b, int n) {
  float x[2] = {};
  for (int t = 0; t < n; ++t) {
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int i = blockIdx.x * (blockDim.x * 2) + threadX;
      if constexpr (adds)
        x[kx] += b[t * n + i];
      else
        x[kx] -= b[t * n + i];
    }
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int i = blockIdx.x * (blockDim.x * 2) + threadX;
    a[i] = x[kx];
  }
}
void run(float *a, float *b) { k<true><<<4, 128 / 2>>>(a, b, 128); }
