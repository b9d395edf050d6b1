// heddle opt --assume whole-program -d "regroup by=late"

__global__ void k(float *a, const int *work, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (work[i] == 0)
    return;
  const int late = work[i] / 2;
  a[i] = late;
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
