// heddle opt --assume whole-program -d "specialize buffers=2"

template <int N> __global__ void k(float *out, const float *in, int n) {
  __shared__ float tile[N];
  float sum = 0;
  for (int start = 0; start < n; start += N) {
    tile[threadIdx.x] = in[start + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < N; ++j)
      sum += tile[j];
    __syncthreads();
  }
  out[blockIdx.x * N + threadIdx.x] = sum;
}
void f(float *a, float *b, int n) {
  k<64><<<n / 64, 64>>>(a, b, n);
  k<128><<<n / 128, 128>>>(a, b, n);
}
