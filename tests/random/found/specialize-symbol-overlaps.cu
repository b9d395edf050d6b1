// -d "specialize producers=2"
// What an iteration stores to an array of the file is what the next one loads by a parameter.
static __device__ unsigned buffer[4096];
__global__ void kernel(unsigned *out, const unsigned *src) {
  const unsigned t = threadIdx.x;
  __shared__ unsigned tile[32];
  unsigned sum = 1u;
  for (unsigned s = 0; s < 64u; s += 32u) {
    __syncthreads();
    tile[t] = src[blockIdx.x * 1024u + s + t];
    __syncthreads();
    sum = sum * 5u + tile[(t + 18u) % 32u];
    buffer[blockIdx.x * 1024u + s + 32u + (t + 10u) % 32u] = sum;
  }
  out[blockIdx.x * 32u + t] = sum;
}
void launch(unsigned *out, const unsigned *in) {
  void *start = nullptr;
  cudaGetSymbolAddress(&start, buffer);
  cudaMemcpy(start, out + 8192, 4096 * 4, cudaMemcpyDeviceToDevice);
  kernel<<<4, 32>>>(out, static_cast<const unsigned *>(start));
}
