// -d "coarsen x=4"
static __device__ unsigned column(unsigned a) { return a + threadIdx.x; }
static __device__ unsigned twice(unsigned a) { return column(a) * 2u; }
template <int N> __global__ void kernel(unsigned *__restrict__ out) {
  const unsigned g = blockIdx.x * 64u + threadIdx.x;
  out[g] += column(N) + g;
}
__global__ void second(unsigned *out) { out[blockIdx.x * 64u + threadIdx.x] ^= twice(3u); }
void launch(unsigned *out, const unsigned *) {
  kernel<2><<<4, 64>>>(out);
  kernel<3><<<4, 64>>>(out);
  second<<<4, 64>>>(out);
}
