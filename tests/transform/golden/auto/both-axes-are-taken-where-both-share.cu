// heddle opt --assume whole-program --remarks -d auto

__global__ void product(float *c, const float *a, const float *b, int n) {
  __shared__ float ta[32][32], tb[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    ta[y][x] = a[(t * 32 + y) * 32 + x];
    tb[y][x] = b[(t * 32 + y) * 32 + x];
    __syncthreads();
    for (int k = 0; k < 32; ++k)
      sum += ta[y][k] * tb[k][x];
    __syncthreads();
  }
  c[y * 32 + x] = sum;
}
void f() { product<<<4096, dim3(32, 32)>>>(nullptr, nullptr, nullptr, 9); }
