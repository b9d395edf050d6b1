// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  // what was seen
  float u[2] = {}; // nothing yet
  for (int j = 0; j < n; ++j) {
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      u[kx] += b[threadX];
    }
    __syncthreads();
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = u[kx];
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
