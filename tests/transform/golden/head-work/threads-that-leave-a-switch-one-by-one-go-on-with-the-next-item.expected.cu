// heddle opt --assume whole-program -d "coarsen x=2"

__device__ int next(int *p) { return *p += 1; }
__global__ void k(float *a, const float *b, int *c, int n) {
  __shared__ float s[64];
  switch (n) {
  case 1:
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int t = threadX;
      s[t] = b[t];
    }
    __syncthreads();
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int t = threadX;
      if (t < 10) continue;
      a[t] += s[63 - t];
    }
    break;
  default:
    break;
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, nullptr, 0); }
