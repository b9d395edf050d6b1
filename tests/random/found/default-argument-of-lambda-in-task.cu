// -d "consolidate remap=off delegate=on"
// A default argument of a lambda mentions the thread's index, which is a local variable of a task.
__global__ void kernel(unsigned *out, unsigned *rest, const unsigned *in, unsigned n) {
  const unsigned t = threadIdx.x;
  const unsigned g = blockIdx.x * 64u + t;
  out[g * 16u + 7u] += [&](unsigned a, unsigned b = (threadIdx.x & 7u)) { return a * 3u ^ b; }(t + n);
}
void launch(unsigned *out, const unsigned *in) {
  kernel<<<4, 64>>>(out, out + 8192, in, 3u);
}
