// -d "regroup by=branch"
// The branch that decides is over a name of a structured binding, which the key must declare as well.
struct Pair {
  unsigned first, second;
};
static __device__ __noinline__ Pair pairOf(unsigned a) { return {a, a * 3u + threadIdx.x}; }
template <int N> __global__ void kernel(unsigned *out, unsigned *rest, const unsigned *__restrict__ in, unsigned n) {
  const unsigned t = threadIdx.x, g = blockIdx.x * 64u + t;
  unsigned *own = out + g * 16u;
  auto [x, y] = pairOf(t + N);
  if ((y + blockIdx.x) & 1u) {
    own[0] += x;
  } else {
    own[1] += y;
  }
  own[7] += t + 1u;
}
void launch(unsigned *out, const unsigned *in) { kernel<2><<<4, 64>>>(out, out + 8192, in, 3u); }
