// heddle opt --assume whole-program --remarks -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = b[0];
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
