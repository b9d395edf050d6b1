// heddle opt --assume whole-program --remarks -d "specialize copy=ld producers=2"

__global__ void k(float *out, const float *in, int n) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = 0, j = t; i < n; i += 64, j += 64) {
    tile[t] = in[j];
    __syncthreads();
    sum += tile[63 - t];
    __syncthreads();
  }
  out[t] = sum;
}
int main() { k<<<1, 64>>>(nullptr, nullptr, 0); }
