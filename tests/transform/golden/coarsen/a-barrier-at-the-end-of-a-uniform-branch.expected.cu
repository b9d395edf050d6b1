// heddle opt -d "coarsen x=2"
// All threads take the branch or none does: what is written in it is ordered by its barrier, and the read behind it is no race.
static __global__ void refill(int *out, int n) {
  __shared__ int cells[128];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    cells[threadX] = 0;
  }
  __syncthreads();
  if (n > 3) {
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      cells[threadX] = threadX;
    }
    __syncthreads();
  }
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    out[blockIdx.x * 128 + threadX] = cells[127 - threadX];
  }
}

void launch(int *out, int n) { refill<<<4, 128 / 2>>>(out, n); }
