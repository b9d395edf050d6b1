// heddle opt --assume whole-program -d "regroup by=branch"

__global__ void k(float *a, const int *work, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  switch (work[i]) {
  case 0: a[i] = 1; break;
  default: a[i] = 2; break;
  }
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
