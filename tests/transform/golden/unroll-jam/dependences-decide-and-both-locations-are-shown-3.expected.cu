// heddle opt --assume whole-program -d "unroll-jam factor=3"

__device__ float twice(float x) { return x * 2; }
__device__ float counted;
__device__ float counts(float x) { counted += x; return x; }
__global__ void k(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ c,
                  float *p, float *q, int *m, int n, int w) {
  int i = 0;
  for (; i + 2LL < n; i += 3) {
    for (int j = 0; j < 8; ++j) {
      a[i * 8 + j] = a[(i - 3) * 8 + j + 1];
      a[(i + 1) * 8 + j] = a[(i + 1 - 3) * 8 + j + 1];
      a[(i + 2) * 8 + j] = a[(i + 2 - 3) * 8 + j + 1];
    }
  }
  for (; i < n; ++i)
    for (int j = 0; j < 8; ++j)
      a[i * 8 + j] = a[(i - 3) * 8 + j + 1];
}
