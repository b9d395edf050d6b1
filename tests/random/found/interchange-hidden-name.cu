// -d "interchange"
// The inner variable hides the parameter that the outer head speaks of.
__global__ void kernel(unsigned *out, unsigned *rest, const unsigned *in, unsigned n) {
  const unsigned t = threadIdx.x;
  const unsigned g = blockIdx.x * 64u + t;
  unsigned *own = out + g * 16u;
  for (int i = 0; i < int(n & 3u); ++i)
    for (int n = 3; n >= 0; --n)
      own[15 - n * 4 - n] = 1u;
}
void launch(unsigned *out, const unsigned *in) {
  kernel<<<4, 64>>>(out, out + 8192, in, 3u);
}
