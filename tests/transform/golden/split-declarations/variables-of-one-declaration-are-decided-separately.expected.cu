// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(int *a, int n) {
  __shared__ int t[64];
  int rounds = n / 2;
  int *p = a + n;
  for (int r = 0; r < rounds; ++r) {
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int i = threadX;
      t[i] = r;
    }
    __syncthreads();
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int i = threadX;
      p[i] += t[63 - i];
    }
    __syncthreads();
  }
}
int main() { k<<<1, 64 / 2>>>(nullptr, 4); }
