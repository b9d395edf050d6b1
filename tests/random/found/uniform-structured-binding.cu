// -d "coarsen x=2 map=blocked"
// A variable is initialized with a name of a structured binding, and all threads agree on its value.
struct Pair {
  unsigned first, second;
};
inline __device__ Pair pairOf(unsigned a) { return {a, 1u}; }
__global__ void kernel(unsigned *__restrict__ out, unsigned n) {
  const unsigned t = threadIdx.x, g = blockIdx.x * 64u + t;
  auto [x, y] = pairOf(n);
  unsigned v = x;
  out[g] += t + 1u + v + y;
}
void launch(unsigned *out, const unsigned *) { kernel<<<4, 64>>>(out, 3u); }
