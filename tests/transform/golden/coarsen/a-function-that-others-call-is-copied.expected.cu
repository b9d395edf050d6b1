// heddle opt --assume whole-program -k k -d "coarsen x=2"

__device__ int me() { return threadIdx.x; }

__device__ int meFork(const unsigned threadX) { return threadX; }
__global__ void other(int *a) { a[me()] = 1; }
__global__ void k(int *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[meFork(threadX)] = 2;
  }
}
