// heddle opt --assume whole-program -d "coarsen x=2"

// -- once.h, in place of its #include --
__global__ void scale(float *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] *= 2.0f;
  }
}
// -- end of once.h --
// -- includes-once.h, in place of its #include --
// -- end of includes-once.h --
void f(float *a) { scale<<<4, 64 / 2>>>(a); }
