// heddle opt --assume whole-program -d "regroup by=profile"

__device__ int steps(int n) {
  int k = 0;
  while (n > k * k)
    ++k;
  return k;
}
__global__ void k(float *a, const int *work, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 3; ++k) {
    a[i] = steps(work[i]);
  }
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < k; ++j)
      a[i] += j;
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
