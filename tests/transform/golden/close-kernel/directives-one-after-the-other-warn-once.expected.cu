// heddle opt -d "coarsen x=2" -d "coarsen x=2"

__global__ static void k(float *a) {
  #pragma unroll
  for (unsigned kx2 = 0; kx2 < 2; ++kx2) {
    const unsigned threadX2 = threadIdx.x + kx2 * blockDim.x;
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadX2 + kx * (blockDim.x * 2);
      a[threadX] *= 2.0f;
    }
  }
}
void f(float *a) { k<<<8, (256 / 2) / 2>>>(a); }
