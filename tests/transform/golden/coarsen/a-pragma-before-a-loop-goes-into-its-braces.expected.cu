// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a) {
  __shared__ float s[64];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    s[threadX] = a[threadX];
  }
  for (int r = 0; r < 3; ++r) {
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      #pragma unroll
      for (unsigned kx = 0; kx < 2; ++kx) {
        const unsigned threadX = threadIdx.x + kx * blockDim.x;
        s[threadX] += 1;
      }
      __syncthreads();
    }
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = s[threadX];
  }
}
void f(float *a) { k<<<4, 64 / 2>>>(a); }
