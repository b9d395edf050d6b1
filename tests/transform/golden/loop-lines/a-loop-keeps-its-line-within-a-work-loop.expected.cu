// heddle opt --assume whole-program -d "coarsen x=2" -d "unroll-jam line=9"

__global__ void k(float *__restrict__ c, const float *__restrict__ a, int n) {
  __shared__ float tile[64];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int t = threadX;
    tile[t] = a[t];
  }
  __syncthreads();
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int t = threadX;
    float sum = tile[63 - t];
    int i = 0;
    for (; i + 1LL < n; i += 2) {
      for (int j = 0; j < n; ++j) {
        c[t * n + i] += a[(t * n + i) * n + j] * sum;
        c[t * n + i + 1] += a[(t * n + i + 1) * n + j] * sum;
      }
    }
    for (; i < n; ++i)
      for (int j = 0; j < n; ++j)
        c[t * n + i] += a[(t * n + i) * n + j] * sum;
  }
}
void f(float *c, float *a, int n) { k<<<n, 64 / 2>>>(c, a, n); }
