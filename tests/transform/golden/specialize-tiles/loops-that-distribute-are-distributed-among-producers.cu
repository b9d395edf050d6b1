// heddle opt --assume whole-program --remarks -d "specialize copy=ld producers=1"

__global__ void k(float *out, const float *in, int n) {
  __shared__ float tile[256];
  float sum = 0;
  for (int s = 0; s < n; s += 64) {
    for (int i = threadIdx.x; i < 256; i += 64)
      tile[i] = s + i < n ? in[s + i] : 0.0f;
    __syncthreads();
    sum += tile[threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
int main() { k<<<1, 64>>>(nullptr, nullptr, 0); }
