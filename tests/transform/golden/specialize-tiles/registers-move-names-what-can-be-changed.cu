// heddle opt --assume whole-program --arch sm_80 -d "specialize registers=move"
// heddle opt --assume whole-program --arch sm_90a -d "specialize registers=move"

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
int main() { k<<<1, 64>>>(nullptr, nullptr, 0); }
