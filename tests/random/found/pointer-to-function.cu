// -d "coarsen x=2 map=blocked"
// A function that is called through a pointer reads the index of the thread.
static __device__ unsigned first(unsigned a) { return threadIdx.x + a; }
static __device__ unsigned second(unsigned a) { return a; }
static __device__ unsigned either(unsigned a, unsigned b) {
  unsigned (*f)(unsigned) = (b & 1u) ? first : second;
  return f(a);
}
__global__ void kernel(unsigned *out, unsigned *rest, const unsigned *in, unsigned n) {
  const unsigned t = threadIdx.x;
  const unsigned g = blockIdx.x * 64u + t;
  unsigned *own = out + g * 16u;
  own[2] ^= either(1u, 1u);
}
void launch(unsigned *out, const unsigned *in) {
  kernel<<<4, 64>>>(out, out + 8192, in, 3u);
}
