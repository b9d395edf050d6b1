// heddle opt -d "coarsen x=2"

__global__ static void k(float *a);
void f(float *a) { k<<<8, 256 / 2>>>(a); }
__global__ static void k(float *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] *= 2.0f;
  }
}
