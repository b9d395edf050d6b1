// -d "coarsen x=2"
// Functions with barriers take arrays by reference and by pointer, functions, and deduced references.
static __device__ unsigned plus(unsigned a) { return a + 7u; }
static __device__ unsigned swap1(unsigned (&s)[64], unsigned a) {
  s[threadIdx.x] = a;
  __syncthreads();
  unsigned r = s[(threadIdx.x + 5u) % 64u];
  __syncthreads();
  return r;
}
static __device__ unsigned swap2(unsigned (*s)[64], unsigned (*f)(unsigned), const unsigned &a) {
  (*s)[threadIdx.x] = f(a);
  __syncthreads();
  unsigned r = (*s)[(threadIdx.x + 9u) % 64u];
  __syncthreads();
  return r;
}
template <class A> static __device__ unsigned swap3(A &&a, unsigned *s) {
  s[threadIdx.x] = a;
  __syncthreads();
  unsigned r = s[(threadIdx.x + 3u) % 64u];
  __syncthreads();
  return r;
}
__global__ void kernel(unsigned *out, unsigned *rest, const unsigned *in, unsigned n) {
  __shared__ unsigned s0[64];
  const unsigned t = threadIdx.x;
  const unsigned g = blockIdx.x * 64u + t;
  unsigned *own = out + g * 16u;
  unsigned a = swap1(s0, g);
  unsigned b = swap2(&s0, plus, a + t);
  unsigned c = swap3(b + 1u, s0);
  own[0] = a;
  own[1] = b;
  own[2] = c;
}
void launch(unsigned *out, const unsigned *in) {
  kernel<<<4, 64>>>(out, out + 8192, in, 3u);
}
