// heddle opt --assume whole-program -d "coarsen x=2"

__device__ int next(int *p) { return *p += 1; }
__global__ void k(float *a, const float *b, int *c, int n) {
  __shared__ float s[64];
  switch ( n) {
  case 1:
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int t = threadX;
      int j = 63 - t;
      s[t] = b[j];
    }
    __syncthreads();
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int t = threadX;
      int j = 63 - t;
      a[t] += s[63 - t] * j;
    }
    __syncthreads();
    break;
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, nullptr, 0); }
