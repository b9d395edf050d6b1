// -d "consolidate remap=auto delegate=on throttle=2"
// The iterator of a range-for in a function reads the index of the thread.
struct Step {
  unsigned i;
  __device__ unsigned operator*() const { return i + threadIdx.y * 3u; }
  __device__ Step &operator++() {
    ++i;
    return *this;
  }
  __device__ bool operator!=(const Step &o) const { return i != o.i; }
};
struct Range {
  unsigned n;
  __device__ Step begin() const { return {0u}; }
  __device__ Step end() const { return {n}; }
};
static __device__ unsigned sum(unsigned a) {
  unsigned all = a;
  for (unsigned e : Range{a & 3u})
    all = all * 3u + e;
  return all;
}
__global__ void kernel(unsigned *out, unsigned *rest, const unsigned *in, unsigned n) {
  __shared__ unsigned s0[64];
  const unsigned t = threadIdx.y * 8u + threadIdx.x;
  const unsigned g = blockIdx.x * 64u + t;
  unsigned *own = out + g * 16u;
  own[15] = sum(t + g);
}
void launch(unsigned *out, const unsigned *in) {
  kernel<<<4, dim3(8, 8)>>>(out, out + 8192, in, 3u);
}
