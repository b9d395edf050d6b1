// -d "coarsen x=4 z=2"
// A default argument calls a function that reads the index of the thread.
static __device__ unsigned inner(unsigned a) { return a * 5u + threadIdx.x; }
static __device__ unsigned outer(unsigned a, unsigned b = inner(3u)) { return a * 3u + b; }
__global__ void kernel(unsigned *out, unsigned *rest, const unsigned *in, unsigned n) {
  __shared__ unsigned s0[64];
  const unsigned t = (threadIdx.z * 2u + threadIdx.y) * 16u + threadIdx.x;
  const unsigned g = blockIdx.x * 64u + t;
  unsigned *own = out + g * 16u;
  s0[t] = 1u;
  __syncthreads();
  own[4] ^= s0[(t + 28u) % 64u] + outer(1u);
}
void launch(unsigned *out, const unsigned *in) {
  kernel<<<4, dim3(16, 2, 2)>>>(out, out + 8192, in, 3u);
}
