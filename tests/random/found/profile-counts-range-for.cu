// -d "regroup by=profile"
// Counting the iterations of a range-based for ended the compiler.
__global__ void __launch_bounds__(64) kernel(unsigned *out, unsigned n) {
  const unsigned g = blockIdx.x * 64u + threadIdx.x;
  unsigned parts[3] = {1u, 1u, 5u};
  for (unsigned &part : parts)
    part += n;
  out[g] = parts[0] + parts[2] + g;
}
void launch(unsigned *out, const unsigned *in) { kernel<<<4, 64>>>(out, 3u); }
