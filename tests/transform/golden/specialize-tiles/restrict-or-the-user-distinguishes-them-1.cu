// heddle opt --assume whole-program --remarks -d "specialize copy=ld barrier=named buffers=2 producers=1"

__global__ void k(float *__restrict__ out, const float *in, int n) {
  __shared__ float tile[64];
  for (int s = 0; s < n; s += 64) {
    tile[threadIdx.x] = in[s + threadIdx.x];
    __syncthreads();
    out[s + threadIdx.x] = tile[63 - threadIdx.x];
    __syncthreads();
  }
}
int main(int argc, char **) {
  float *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  k<<<1, 64>>>(a + 64, a, 1024);
}
