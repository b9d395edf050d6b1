// -d "specialize copy=cpasync buffers=2"
// What an iteration stores is what the next one loads, by two members of a structure.
struct Arrays {
  const unsigned *src;
  unsigned *dst;
};
__global__ void kernel(unsigned *out, Arrays arrays) {
  const unsigned t = threadIdx.x;
  __shared__ unsigned tile[64];
  unsigned sum = 1u;
  for (unsigned s = 0; s < 128u; s += 64u) {
    tile[t] = arrays.src[blockIdx.x * 1024u + s + t];
    __syncthreads();
    sum = sum * 5u + tile[(t + 57u) % 64u];
    arrays.dst[blockIdx.x * 1024u + s + 64u + (t + 47u) % 64u] = sum;
    __syncthreads();
  }
  out[blockIdx.x * 64u + t] = sum;
}
void launch(unsigned *out, const unsigned *in) {
  kernel<<<4, 64>>>(out, Arrays{out + 8192, out + 8192});
}
