// heddle opt --assume whole-program -d "regroup by=branch"

__global__ void k(float *a, const int *work, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int kind = work[i];
  if (kind == 1)
    a[i] = 1;
  else if (kind == 4)
    a[i] = 2;
  else
    a[i] = 3;
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
