// -d "coarsen y=4 z=2"
// The constructors of an array call a function that reads the lane by assembly.
static __device__ unsigned lane() {
  unsigned r;
  asm("mov.u32 %0, %%laneid;" : "=r"(r));
  return r;
}
struct One {
  unsigned v;
  __device__ One() : v(lane()) {}
};
static __device__ unsigned all(unsigned a) {
  One each[3];
  return each[0].v ^ each[1].v * 3u ^ each[2].v + a;
}
template <int N> __global__ void kernel(unsigned *out, unsigned *rest, const unsigned *in, unsigned n) {
  const unsigned t = (threadIdx.z * 4u + threadIdx.y) * 8u + threadIdx.x;
  const unsigned g = blockIdx.x * 64u + t;
  unsigned *own = out + g * 16u;
  own[8] = all(1u);
}
void launch(unsigned *out, const unsigned *in) {
  kernel<2><<<4, dim3(8, 4, 2)>>>(out, out + 8192, in, 3u);
}
