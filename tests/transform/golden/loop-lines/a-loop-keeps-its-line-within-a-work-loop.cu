// heddle opt --assume whole-program -d "coarsen x=2" -d "unroll-jam line=9"

__global__ void k(float *__restrict__ c, const float *__restrict__ a, int n) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  tile[t] = a[t];
  __syncthreads();
  float sum = tile[63 - t];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      c[t * n + i] += a[(t * n + i) * n + j] * sum;
}
void f(float *c, float *a, int n) { k<<<n, 64>>>(c, a, n); }
