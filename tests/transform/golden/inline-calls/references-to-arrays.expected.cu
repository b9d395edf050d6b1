// heddle opt --assume whole-program -d "coarsen x=2"

__device__ void put(float (&to)[64], float v) { to[threadIdx.x] = v; __syncthreads(); }
__device__ float twice(float x) { return 2 * x; }
__global__ void k(float *a, const float *b) {
  __shared__ float tile[64];
  __shared__ float rows[16][4];
  float x[2];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int t = threadX;
    x[kx] = b[t];
  }
  { // put
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      float (&to)[64] = tile;
      float v = x[kx];
      to[threadX] = v;
    }
    __syncthreads();
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int t = threadX;
    a[t] = x[kx] + tile[63 - t] + rows[t / 4][t % 4];
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr); }
