// heddle opt --assume whole-program -d "regroup by=branch"

__global__ void k(float *a, const int *kind, int n, int m) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n)
    if (x < m) {
      if (kind[x] > 3)
        a[x] = 2;
      else
        a[x] *= 3;
    }
}
void f(float *a, int *b, int n) { k<<<n / 64, 64>>>(a, b, n, n); }
