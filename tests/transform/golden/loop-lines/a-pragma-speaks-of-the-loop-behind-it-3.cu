// heddle opt --assume whole-program

#pragma heddle unroll-jam factor=2
__global__ void k(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ c,
                  float *p, float *q, int *m, int n, int w) {
  for (int i = 0; i < n; ++i) {
    float s = 0;
    for (int j = 0; j < w; ++j)
      s += c[i * w + j];
    a[i] = s;
  }
}
