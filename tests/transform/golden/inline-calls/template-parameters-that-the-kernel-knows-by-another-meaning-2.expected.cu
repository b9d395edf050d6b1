// heddle opt --assume whole-program -d "coarsen x=2"

template <int N> __device__ void put(float (&to)[64], float v, int at) {
  to[(at + N) % 64] = v * N;
  __syncthreads();
}
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
    constexpr int N = 3;
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int t = threadX;
      float (&to)[64] = tile;
      float v = x[kx];
      int at = t + 1;
      to[(at + N) % 64] = v * N;
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
