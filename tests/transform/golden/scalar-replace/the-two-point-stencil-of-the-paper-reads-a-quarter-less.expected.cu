// heddle opt --assume whole-program --remarks -d "coarsen x=2 map=blocked" -d scalar-replace

__global__ void k(float *a, const float *b, int n) {
  __shared__ float c[65];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x * 2 + kx;
    c[threadX + 1] = b[threadX];
    if (threadX == 0)
      c[0] = 0.0f;
  }
  __syncthreads();
  float nearC[3];
  #pragma unroll
  for (unsigned j = 0; j < 3; ++j)
    nearC[j] = c[threadIdx.x * 2 + j];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x * 2 + kx;
    if (threadX < n)
      a[threadX] = nearC[kx + 1] + nearC[kx];
  }
}
void f() { k<<<1, 64 / 2>>>(nullptr, nullptr, 9); }
