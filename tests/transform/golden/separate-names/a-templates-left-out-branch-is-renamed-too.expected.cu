// heddle opt --assume whole-program -d "coarsen x=2"

template <bool B> __global__ void k(float *a, int n) {
  __shared__ float s[64];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    s[threadX] = n;
  }
  __syncthreads();
  for (int n2 = 0; n2 < 3; ++n2) {
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      if constexpr (B) {
        a[threadX] += s[n2];
      } else {
        a[threadX] -= n2;
      }
    }
  }
}
int main() { k<true><<<4, 64 / 2>>>(nullptr, 0); }
