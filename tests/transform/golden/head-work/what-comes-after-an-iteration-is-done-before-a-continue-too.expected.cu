// heddle opt --assume whole-program -d "coarsen x=2"

__device__ int next(int *p) { return *p += 1; }
__global__ void k(float *a, const float *b, int *c, int n) {
  __shared__ float s[64];
  int j[2];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int t = threadX;
    j[kx] = t;
  }
  for (int i = 0; i < n; ++i) {
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int t = threadX;
      s[t] = b[j[kx]];
    }
    __syncthreads();
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int t = threadX;
      a[t] += s[63 - t] * j[kx];
    }
    __syncthreads();
    if (n == 3)
      {
      #pragma unroll
      for (unsigned kx = 0; kx < 2; ++kx) {
        j[kx] += 7;
      }
      continue;
    }
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int t = threadX;
      a[t] += 1;
      j[kx] += 7;
    }
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, nullptr, 0); }
