// heddle opt --assume whole-program -d "coarsen x=2"

template <bool adds> __global__ void k(float *a, const float *b, int n) {
  float x = 0;
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int i = blockIdx.x * (blockDim.x * 2) + threadX;
    for (int t = 0; t < n; ++t)
      if constexpr (adds)
        x += b[t * n + i];
    a[i] = x;
  }
}
void run(float *a, float *b) { k<false><<<4, 128 / 2>>>(a, b, 128); }
