// heddle opt -d "coarsen x=2"
// All threads take the branch or none does: what is written in it is ordered by its barrier, and the read behind it is no race.
static __global__ void refill(int *out, int n) {
  __shared__ int cells[128];
  cells[threadIdx.x] = 0;
  __syncthreads();
  if (n > 3) {
    cells[threadIdx.x] = threadIdx.x;
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = cells[127 - threadIdx.x];
}

void launch(int *out, int n) { refill<<<4, 128>>>(out, n); }
