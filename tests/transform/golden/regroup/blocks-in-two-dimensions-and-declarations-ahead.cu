// heddle opt --assume whole-program -d "regroup by=y"

__global__ void k(int *a, int n);
__global__ void k(int *a, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
  a[y * n + x] = y;
}
void f(int *a) { k<<<2, dim3(16, 4)>>>(a, 32); }
