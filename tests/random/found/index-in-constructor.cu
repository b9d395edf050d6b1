// -d "coarsen x=2"
// The constructor of a local reads the index of the thread.
struct Self {
  unsigned t, g;
  __device__ Self() : t(threadIdx.x), g(blockIdx.x * 96u + threadIdx.x) {}
};
__global__ void kernel(unsigned *out, unsigned *rest, const unsigned *in, unsigned n) {
  const Self self;
  out[self.g * 16u + 7u] += self.t + 1u;
}
void launch(unsigned *out, const unsigned *in) {
  kernel<<<4, 96>>>(out, out + 8192, in, 3u);
}
