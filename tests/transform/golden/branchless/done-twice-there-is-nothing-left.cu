// heddle opt --assume whole-program -d branchless -d branchless

__global__ void k(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ c,
                  float *p, float *q, int *m, int n, int w) {
  int i = threadIdx.x, k = i, z = m[i];
  float x = c[i], y = 0;
  if (x > y)
    y = x;
  a[i] = x + y + k + z;
}
