// heddle opt --assume whole-program --remarks -d "specialize copy=ld"

__global__ void k(int *out, const int *in, int n) {
  __shared__ int tile[64];
  __shared__ int bins[64];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int s = 0; s < n; s += 64) {
    tile[threadIdx.x] = in[s + threadIdx.x];
    __syncthreads();
    atomicAdd(&bins[tile[threadIdx.x] & 63], 1);
    __syncthreads();
  }
  out[threadIdx.x] = bins[63 - threadIdx.x];
}
int main() { k<<<1, 64>>>(nullptr, nullptr, 0); }
