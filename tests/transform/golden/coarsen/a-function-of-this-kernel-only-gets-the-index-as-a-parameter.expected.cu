// heddle opt --assume whole-program -d "coarsen x=2"

static __device__ float at(const unsigned threadX, const float *p) { return p[threadX]; }
__global__ void k(float *a, const float *b) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = at(threadX, b);
  }
}
