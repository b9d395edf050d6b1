// heddle opt --assume whole-program --remarks -d "specialize buffers=2"

__global__ void k(float *out, const float *in, int n) {
  __shared__ float tile[128];
  const float *p = in + threadIdx.x;
  float sum = 0;
  for (int s = 0; s < n; ++s) {
    tile[threadIdx.x] = *p;
    __syncthreads();
    p += 128;
    sum += tile[127 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
int main() { k<<<1, 128>>>(nullptr, nullptr, 0); }
