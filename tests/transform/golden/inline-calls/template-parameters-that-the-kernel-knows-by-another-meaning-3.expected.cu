// heddle opt --assume whole-program -d "coarsen x=2"

template <class T, int M> __device__ void put(T (&to)[M], T v) {
  const T twice = v + v;
  to[threadIdx.x % M] = twice;
  __syncthreads();
}
__device__ float twice(float x) { return 2 * x; }
__global__ void k(float *a, const float *b) {
  __shared__ float tile[64];
  __shared__ float rows[16][4];
  using T = float;
  const int M = 64;
  float x[2];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int t = threadX;
    x[kx] = b[t];
  }
  { // put
    constexpr int M2 = M * 1;
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      T (&to)[M2] = tile;
      T v = x[kx];
      const T twice = v + v;
      to[threadX % M2] = twice;
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
