// heddle opt --assume whole-program
// -- index.h, in place of its #include --

// Long enough that lines of the file that includes it are elsewhere
// once it is in its place.
//
//
//
//
//
//
//
//
__device__ inline int mine(const unsigned threadX) { return threadX; }
// -- end of index.h --

__global__ void first(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

__global__ void k(float *a) {
  #pragma unroll
  for (unsigned kx2 = 0; kx2 < 2; ++kx2) {
    const unsigned threadX2 = threadIdx.x + kx2 * blockDim.x;
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadX2 + kx * (blockDim.x * 2);
      a[blockIdx.x * ((blockDim.x * 2) * 2) + mine(threadX)] += 2;
    }
  }
}

void f(float *a) {
  first<<<4, 64>>>(a);
  k<<<4, (64 / 2) / 2>>>(a);
}
