// heddle opt --assume whole-program -k k -d "unroll-jam line=11" -d "unroll-jam line=7"

__global__ void __launch_bounds__(64) first(float *a) { a[threadIdx.x] += 1; }
__global__ void k(float *__restrict__ c, const float *__restrict__ a, int n) {
  int t = threadIdx.x;
  int i = 0;
  for (; i + 1LL < n; i += 2) {
    for (int j = 0; j < n; ++j) {
      c[t * n + i] += a[(t * n + i) * n + j];
      c[t * n + i + 1] += a[(t * n + i + 1) * n + j];
    }
  }
  for (; i < n; ++i)
    for (int j = 0; j < n; ++j)
      c[t * n + i] += a[(t * n + i) * n + j];
  for (int i = 0; i < 8; i += 8) {
    for (int j = 0; j < n; ++j) {
      c[t * n + i] += a[(t * 8 + i) * n + j] * 2;
      c[t * n + i + 1] += a[(t * 8 + i + 1) * n + j] * 2;
      c[t * n + i + 2] += a[(t * 8 + i + 2) * n + j] * 2;
      c[t * n + i + 3] += a[(t * 8 + i + 3) * n + j] * 2;
      c[t * n + i + 4] += a[(t * 8 + i + 4) * n + j] * 2;
      c[t * n + i + 4 + 1] += a[(t * 8 + i + 4 + 1) * n + j] * 2;
      c[t * n + i + 4 + 2] += a[(t * 8 + i + 4 + 2) * n + j] * 2;
      c[t * n + i + 4 + 3] += a[(t * 8 + i + 4 + 3) * n + j] * 2;
    }
  }
}
