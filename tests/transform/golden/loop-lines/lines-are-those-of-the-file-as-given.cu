// heddle opt --assume whole-program -k k -d "unroll-jam line=11" -d "unroll-jam line=7"

#pragma heddle launch-bounds threads=64
__global__ void first(float *a) { a[threadIdx.x] += 1; }
__global__ void k(float *__restrict__ c, const float *__restrict__ a, int n) {
  int t = threadIdx.x;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      c[t * n + i] += a[(t * n + i) * n + j];
#pragma heddle unroll-jam factor=4
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < n; ++j)
      c[t * n + i] += a[(t * 8 + i) * n + j] * 2;
}
