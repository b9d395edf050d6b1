// heddle opt --assume whole-program -d "regroup by=branch"

__global__ void k(float *a, const int *work, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += work[k] * i;
  float late = sum;
  if (late > 3)
    a[i] = 1;
  else
    a[i] = 2;
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
