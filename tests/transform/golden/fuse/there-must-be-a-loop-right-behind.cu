// heddle opt --assume whole-program -d "fuse line=5"

__global__ void k(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ c,
                  float *p, float *q, int *m, int n, int w) {
  for (int i = 0; i < n; ++i)
    a[i] = 1;
  b[0] = 1;
  for (int i = 0; i < n; ++i)
    b[i] = 1;
}
