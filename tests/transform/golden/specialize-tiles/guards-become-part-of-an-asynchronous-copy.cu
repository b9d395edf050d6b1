// heddle opt --assume whole-program --remarks -d "specialize copy=cpasync producers=2"

__global__ void k(float *out, const float *in, int n) {
  __shared__ float tile[64];
  float sum = 0;
  for (int s = 0; s < n; s += 64) {
    tile[threadIdx.x] = s + threadIdx.x < n ? in[s + threadIdx.x] : 0.0f;
    __syncthreads();
    sum += tile[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
int main() { k<<<1, 64>>>(nullptr, nullptr, 0); }
