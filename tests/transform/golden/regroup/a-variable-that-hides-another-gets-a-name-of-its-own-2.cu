// heddle opt --assume whole-program -d "regroup by=i"

__global__ void k(float *a, const int *work, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const int i = work[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 0; k < i; ++k)
      a[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;
  }
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
