// heddle opt --assume whole-program

__global__ void a(int *p) { p[threadIdx.x] = 1; }
__global__ void b(int *p) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    p[threadX] = 2;
  }
}
