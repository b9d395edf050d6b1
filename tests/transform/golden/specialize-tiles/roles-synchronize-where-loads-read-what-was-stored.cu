// heddle opt --assume whole-program --remarks -d "specialize copy=ld"

__global__ void k(float *a, int n, int steps) {
  __shared__ float tile[64];
  for (int t = 0; t < steps; ++t) {
    float sum = 0;
    for (int s = 0; s < n; ++s) {
      tile[threadIdx.x] = a[s * 64 + threadIdx.x];
      __syncthreads();
      sum += tile[63 - threadIdx.x];
      __syncthreads();
    }
    a[threadIdx.x] = sum;
    __syncthreads();
  }
}
int main() { k<<<1, 64>>>(nullptr, 0, 0); }
