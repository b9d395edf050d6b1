// -d "specialize copy=ld barrier=named producers=1"
struct Pair {
  unsigned first, second;
};
inline __device__ Pair pairOf(unsigned a) { return {a, 3u}; }
__global__ void kernel(unsigned *__restrict__ out, const unsigned *__restrict__ in, unsigned n) {
  __shared__ unsigned tile[64];
  const unsigned t = threadIdx.x, g = blockIdx.x * 64u + t;
  auto [x, y] = pairOf(n);
  unsigned sum = 0;
  for (unsigned s = 0; s < n * 64u; s += 64u) {
    tile[t] = in[blockIdx.x * 64u + s + t];
    __syncthreads();
    sum = sum * 5u + tile[63u - t] + y;
    __syncthreads();
  }
  out[g] = sum + x;
}
void launch(unsigned *out, const unsigned *in) { kernel<<<4, 64>>>(out, in, 3u); }
