// -d "coarsen x=2 map=blocked"
// The constructor of an object in the head of an if stores and reads the index of the thread.
struct Effect {
  unsigned *p;
  unsigned k;
  __device__ Effect(unsigned *to, unsigned by) : p(to), k(by) { *p = *p * 5u + k + threadIdx.x; }
};
__global__ void kernel(unsigned *out, unsigned *rest, const unsigned *in, unsigned n) {
  const unsigned t = threadIdx.x;
  const unsigned g = blockIdx.x * 48u + t;
  unsigned *own = out + g * 16u;
  if (Effect effect(own + 13, g); n % 3u != 1u) {
  }
  own[9] ^= __syncthreads_count(g & 1u);
}
void launch(unsigned *out, const unsigned *in) {
  kernel<<<4, 48>>>(out, out + 8192, in, 3u);
}
