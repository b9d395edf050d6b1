// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  float u[2];
  for (int j = 0; j < n; ++j) {
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      if (j == 0) u[kx] = b[threadX];
      a[threadX + j * 64] = u[kx];
    }
    __syncthreads();
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
