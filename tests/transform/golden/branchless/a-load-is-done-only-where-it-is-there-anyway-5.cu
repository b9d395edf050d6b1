// heddle opt --assume whole-program -d branchless

__device__ float twice(float x) { return x * 2; }
__device__ float counted;
__device__ float counts(float x) { counted += x; return x; }
__global__ void k(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ c,
                  float *p, float *q, int *m, int n, int w) {
  int i = threadIdx.x, k = i, z = m[i];
  float x = c[i], y = 0;
  if (i < n)
    y = c[i] * 2;
  a[i] = x + y + k + z;
}
