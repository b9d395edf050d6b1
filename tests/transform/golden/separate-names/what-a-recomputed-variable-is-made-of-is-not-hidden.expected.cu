// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[64];
  int m = n + 1;
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int at = threadX * m;
    s[threadX] = b[at];
  }
  __syncthreads();
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int at = threadX * m;
    {
      int m2 = 3;
      a[at] = s[63 - threadX] * m2;
    }
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
