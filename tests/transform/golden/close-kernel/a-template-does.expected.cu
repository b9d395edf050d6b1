// heddle opt -d "coarsen x=2"

template <class T>
__global__ static void __launch_bounds__(256 / 2) k(T *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] *= 2;
  }
}
void f(float *a) { k<<<8, 256 / 2>>>(a); }
