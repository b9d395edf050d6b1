// heddle opt --assume whole-program

// -- load.h, in place of its #include --
__device__ float load(const unsigned threadX, const float *a) {
  return a[threadX];
}
// -- end of load.h --
__global__ void k(float *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = load(threadX, a);
  }
}
void f(float *a) { k<<<4, 64 / 2>>>(a); }
