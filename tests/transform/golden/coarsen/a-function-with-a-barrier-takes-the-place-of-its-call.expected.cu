// heddle opt --assume whole-program -d "coarsen x=2"

__device__ float last(float *s, float n) {
  s[threadIdx.x] = n; // mine
  __syncthreads();
  return s[63 - threadIdx.x];
}
__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[64];
  float lastValue[2];
  { // last
    float *s2 = s;
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      float n2 = b[threadX];
      s2[threadX] = n2; // mine
    }
    __syncthreads();
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      lastValue[kx] = s2[63 - threadX];
    }
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    float x = lastValue[kx];
    a[threadX] = x + n;
  }
}
void f() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
