// heddle opt --assume whole-program -d "coarsen x=2"

template <int M> __device__ void put(float *to, float v, int at) {
  to[(at + M) % 64] = v;
  __syncthreads();
}
template <int M> __global__ void k(float *a) {
  __shared__ float tile[64];
  { // put
    constexpr int M2 = M + 1;
    float *to = tile;
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int t = threadX;
      float v = a[t];
      int at = t;
      to[(at + M2) % 64] = v;
    }
    __syncthreads();
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int t = threadX;
    a[t] = tile[63 - t] * M;
  }
}
int main() { k<3><<<4, 64 / 2>>>(nullptr); k<5><<<4, 64 / 2>>>(nullptr); }
