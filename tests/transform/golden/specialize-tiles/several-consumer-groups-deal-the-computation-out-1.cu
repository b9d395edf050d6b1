// heddle opt --assume whole-program --remarks -d "specialize copy=ld consumers=2 producers=1"

__global__ void k(float *out, const float *in, int n) {
  __shared__ float tile[256];
  float sum[4] = {};
  for (int s = 0; s < n; s += 256) {
    for (int i = threadIdx.x; i < 256; i += 64)
      tile[i] = s + i < n ? in[s + i] : 0.0f;
    __syncthreads();
    for (int j = 0; j < 4; ++j)
      sum[j] += tile[j * 64 + threadIdx.x];
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    out[j * 64 + threadIdx.x] = sum[j];
}
int main() { k<<<1, 64>>>(nullptr, nullptr, 0); }
