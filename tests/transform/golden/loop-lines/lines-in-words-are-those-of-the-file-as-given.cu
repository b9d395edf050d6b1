// heddle opt --assume whole-program --remarks -k k -d "coarsen x=2" -d "branchless line=17" -d "fuse line=11"

#pragma heddle launch-bounds threads=64
#pragma heddle launch-bounds threads=64 blocks=2
__global__ void first(float *a) { a[threadIdx.x] += 1; }
__global__ void k(float *__restrict__ c, const float *__restrict__ a, int n) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  tile[t] = a[t];
  __syncthreads();
  for (int i = 0; i < n; ++i)
    c[t * n + i] = a[i] + tile[63 - t];
  for (int i = 0; i < n; ++i)
    c[t * n + i] += a[i];
  __syncthreads();
  float s = tile[63 - t];
  if (s < 3)
    s = 4;
  c[t] += s;
}
void f(float *c, float *a, int n) { k<<<n, 64>>>(c, a, n); }
