// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b) {
  int vote[2];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    vote[kx] = (b[threadX] > 0.0f) != 0;
  }
  int some = __syncthreads_count(vote[0]) + __syncthreads_count(vote[1]);
  int vote2[2];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    vote2[kx] = (b[threadX] > 9.0f) != 0;
  }
  const int votes = __syncthreads_or(vote2[0] | vote2[1]);
  if (votes)
    some = 0;
  int vote3[2];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    vote3[kx] = (b[threadX] > 1.0f) != 0;
  }
  int every = __syncthreads_and(vote3[0] & vote3[1]);
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = some + every;
  }
}
void f() { k<<<1, 64 / 2>>>(nullptr, nullptr); }
