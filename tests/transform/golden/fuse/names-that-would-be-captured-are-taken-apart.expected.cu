// heddle opt --assume whole-program -d fuse

__device__ float twice(float x) { return x * 2; }
__device__ float counted;
__device__ float counts(float x) { counted += x; return x; }
__global__ void k(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ c,
                  float *p, float *q, int *m, int n, int w) {
  int i = 3;
  for (int i2 = 0; i2 < n; ++i2) {
    a[i2] = 1;
    b[i2] = i;
  }
}
