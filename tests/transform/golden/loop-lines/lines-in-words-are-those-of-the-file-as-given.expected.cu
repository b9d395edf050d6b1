// heddle opt --assume whole-program --remarks -k k -d "coarsen x=2" -d "branchless line=17" -d "fuse line=11"

__global__ void __launch_bounds__(64, 2) first(float *a) { a[threadIdx.x] += 1; }
__global__ void k(float *__restrict__ c, const float *__restrict__ a, int n) {
  __shared__ float tile[64];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int t = threadX;
    tile[t] = a[t];
  }
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int t = threadX;
      c[t * n + i] = a[i] + tile[63 - t];
    }
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int t = threadX;
      c[t * n + i] += a[i];
    }
  }
  __syncthreads();
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int t = threadX;
    float s = tile[63 - t];
    s = s < 3 ? 4 : s;
    c[t] += s;
  }
}
void f(float *c, float *a, int n) { k<<<n, 64 / 2>>>(c, a, n); }
