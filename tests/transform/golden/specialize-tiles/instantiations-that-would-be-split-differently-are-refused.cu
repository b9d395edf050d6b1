// heddle opt --assume whole-program -d "specialize buffers=2"

constexpr int T = 16;
template <bool Edge> __global__ void gemm(float *c, const float *a, const float *b, int n) {
  __shared__ float as[T][T], bs[T][T];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += T) {
    if (Edge) {
      as[threadIdx.y][threadIdx.x] = row < n && k0 + threadIdx.x < n ? a[row * n + k0 + threadIdx.x] : 0.0f;
      bs[threadIdx.y][threadIdx.x] = col < n && k0 + threadIdx.y < n ? b[(k0 + threadIdx.y) * n + col] : 0.0f;
    } else {
      as[threadIdx.y][threadIdx.x] = a[row * n + k0 + threadIdx.x];
      bs[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + col];
    }
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = sum;
}
void run(float *a, float *b, float *c, int n) {
  gemm<false><<<dim3(4, 4), dim3(T, T)>>>(c, a, b, n);
  gemm<true><<<dim3(4, 4), dim3(T, T)>>>(c, a, b, n - 3);
}
