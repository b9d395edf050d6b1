// heddle opt --assume whole-program -d "coarsen x=2" -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  #pragma unroll
  for (unsigned kx2 = 0; kx2 < 2; ++kx2) {
    const unsigned threadX2 = threadIdx.x + kx2 * blockDim.x;
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadX2 + kx * (blockDim.x * 2);
      a[threadX] = b[threadX];
    }
  }
}
int main() { k<<<4, (64 / 2) / 2>>>(nullptr, nullptr, 0); }
