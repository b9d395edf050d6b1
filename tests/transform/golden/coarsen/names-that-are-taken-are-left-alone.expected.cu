// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  #pragma unroll
  for (unsigned kx2 = 0; kx2 < 2; ++kx2) {
    const unsigned threadX2 = threadIdx.x + kx2 * blockDim.x;
    int threadX = threadX2, kx = 1;
    a[threadX] = kx;
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
