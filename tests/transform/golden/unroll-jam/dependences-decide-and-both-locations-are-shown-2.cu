// heddle opt --assume whole-program -d "unroll-jam factor=4"

__device__ float twice(float x) { return x * 2; }
__device__ float counted;
__device__ float counts(float x) { counted += x; return x; }
__global__ void k(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ c,
                  float *p, float *q, int *m, int n, int w) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 8; ++j)
      a[i * 8 + j] = a[(i - 3) * 8 + j + 1];
}
