// heddle opt --assume whole-program -d "regroup by=n-i via=layout"

__global__ void k(float *a, const int *work, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  switch (i % 3) { case 0: a[i] = work[i]; break; default: a[i] = 3; }
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
