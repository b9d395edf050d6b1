// heddle opt -d "coarsen x=2"

// -- template.h, in place of its #include --
template <class T> __global__ static void scale(T *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] *= 2.0f;
  }
}
// -- end of template.h --
void f(float *a) { scale<<<4, 64 / 2>>>(a); }
