// heddle opt --assume whole-program -d "regroup by=work[i]"
// heddle opt --assume whole-program -d "regroup by=branch"

__global__ void k(float *a, const int *work, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  i += 1;
  if (i >= n)
    return;
  if (work[i] > 3)
    a[i] = 1;
  else
    a[i] = 2;
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
