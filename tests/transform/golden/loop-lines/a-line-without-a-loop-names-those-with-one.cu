// heddle opt --assume whole-program -k k -d "unroll-jam line=6"

#pragma heddle launch-bounds threads=64
__global__ void first(float *a) { a[threadIdx.x] += 1; }
__global__ void k(float *__restrict__ c, const float *__restrict__ a, int n) {
  int t = threadIdx.x;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      c[t * n + i] += a[(t * n + i) * n + j];
}
