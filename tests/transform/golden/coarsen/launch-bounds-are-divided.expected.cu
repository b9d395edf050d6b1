// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void __launch_bounds__(256 / 2, 2) k(int *p) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    p[threadX] = 1;
  }
}
