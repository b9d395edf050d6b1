// -d "coarsen x=2"
// The names of a structured binding stayed inside the work loop that declares them.
struct Pair {
  unsigned first, second;
};
static __device__ Pair pairOf(unsigned a) { return {a, 1u}; }
__global__ void kernel(unsigned *out) {
  __shared__ unsigned s0[64];
  const unsigned t = threadIdx.x;
  s0[t] = 1u;
  auto [x, y] = pairOf(t);
  __syncthreads();
  out[blockIdx.x * 64u + t] = s0[63u - t] + x * 9u + y;
}
void launch(unsigned *out, const unsigned *in) { kernel<<<4, 64>>>(out); }
