// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[64];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    s[threadX] = 0.0f;
  }
  for (int i = 0; i < n; ++i) {
    if (i & 1) {
      #pragma unroll
      for (unsigned kx = 0; kx < 2; ++kx) {
        const unsigned threadX = threadIdx.x + kx * blockDim.x;
        s[threadX] += 1.0f;
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
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
