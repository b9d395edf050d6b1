// -d "coarsen x=4 y=4"
// In a function, the destructor of a member of a local reads the index of the thread.
struct Part {
  unsigned *p;
  __device__ Part(unsigned *to) : p(to) {}
  __device__ ~Part() { *p = *p * 2u + threadIdx.x; }
};
struct Whole {
  unsigned v;
  Part part;
};
static __device__ unsigned ended(unsigned a) {
  unsigned r = a;
  { Whole whole{3u, Part(&r)}; r += whole.v; }
  return r;
}
__global__ void kernel(unsigned *out, unsigned *rest, const unsigned *in, unsigned n) {
  const unsigned t = threadIdx.y * 16u + threadIdx.x;
  const unsigned g = blockIdx.x * 64u + t;
  unsigned *own = out + g * 16u;
  own[8] ^= ended(1u);
}
void launch(unsigned *out, const unsigned *in) {
  kernel<<<4, dim3(16, 4)>>>(out, out + 8192, in, 3u);
}
