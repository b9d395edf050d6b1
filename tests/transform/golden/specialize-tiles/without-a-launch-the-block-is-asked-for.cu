// heddle opt --assume whole-program -d "specialize buffers=2"

__global__ void k(float *out, const float *in, int n) {
  __shared__ float tile[64];
  float sum = 0;
  for (int s = 0; s < n; s += 64) {
    tile[threadIdx.x] = in[s + threadIdx.x];
    __syncthreads();
    sum += tile[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
