// heddle opt --assume whole-program -d "specialize copy=ld"

__global__ void k(int *out, const int *in, int n) {
  __shared__ int tile[64];
  const int t = threadIdx.x + blockDim.x * threadIdx.y;
  int sum = 0;
  for (int s = 0; s < n; s += 64) {
    tile[t] = in[s + t];
    __syncthreads();
    sum += tile[63 - t];
    __syncthreads();
  }
  out[t] = sum;
}
int main() {
  dim3 block(16, 4);
  k<<<1, block>>>(nullptr, nullptr, 0);
}
