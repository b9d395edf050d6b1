// heddle opt --assume whole-program --remarks -d "coarsen x=2 map=blocked" -d scalar-replace

__global__ void k(float *a, const float *b, int n) {
  __shared__ float c[65];
  c[threadIdx.x + 1] = b[threadIdx.x];
  if (threadIdx.x == 0)
    c[0] = 0.0f;
  __syncthreads();
  if (threadIdx.x < n)
    a[threadIdx.x] = c[threadIdx.x + 1] + c[threadIdx.x];
}
void f() { k<<<1, 64>>>(nullptr, nullptr, 9); }
