// heddle opt --assume whole-program -d interchange -d interchange

__global__ void k(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ c,
                  float *p, float *q, int *m, int n, int w) {
  for (int i = 1; i < n; ++i) // rows
    for (int j = 0; j < 15; ++j)
      a[i * 16 + j] = c[j];
}
