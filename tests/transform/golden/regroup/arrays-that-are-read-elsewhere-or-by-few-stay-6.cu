// heddle opt --assume whole-program -d "regroup by=n-i via=layout"

__global__ void k(float *a, const int *work, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (i & 1) a[i] = work[i]; else a[i] = -work[i];
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
