// -d "regroup by=branch"
// In an arm, the constructor of a local reads the index of the thread.
struct Effect {
  unsigned *p;
  __device__ Effect(unsigned *to, unsigned by) : p(to) { *p = *p * 5u + by + (threadIdx.x & 7u); }
};
__global__ void kernel(unsigned *out, unsigned *rest, const unsigned *in, unsigned n) {
  const unsigned t = threadIdx.x;
  const unsigned g = blockIdx.x * 96u + t;
  unsigned *own = out + g * 16u;
  switch (g % 3u) {
  case 0u: own[2] += 3u; break;
  case 1u: {
    Effect effect(own + 11, g);
    break;
  }
  default: own[3] += 5u;
  }
}
void launch(unsigned *out, const unsigned *in) {
  kernel<<<4, 96>>>(out, out + 8192, in, 3u);
}
