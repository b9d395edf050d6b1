// heddle opt --assume whole-program -d "coarsen x=2 y=4"

__global__ void k(float *a, const float *b) {
  __shared__ float s[8][8];
  float mine[4][2];
  #pragma unroll
  for (unsigned ky = 0; ky < 4; ++ky) {
    const unsigned threadY = threadIdx.y + ky * blockDim.y;
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      mine[ky][kx] = b[threadY * 8 + threadX];
      s[threadY][threadX] = mine[ky][kx];
    }
  }
  __syncthreads();
  #pragma unroll
  for (unsigned ky = 0; ky < 4; ++ky) {
    const unsigned threadY = threadIdx.y + ky * blockDim.y;
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      a[threadY * 8 + threadX] = s[threadX][threadY] - mine[ky][kx];
    }
  }
}
int main() { k<<<1, dim3(8 / 2, 8 / 4)>>>(nullptr, nullptr); }
