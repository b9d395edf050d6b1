// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int k;
    k = threadX + 1;
    a[k] = 1.0f;
  }
  for (int k2 = 0; k2 < n; k2++) {
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      a[threadX + 1] += b[k2];
    }
    __syncthreads();
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
