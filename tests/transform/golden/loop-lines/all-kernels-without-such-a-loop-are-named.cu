// heddle opt --assume whole-program -d unroll-jam

__global__ void first(int *a) { a[threadIdx.x] = 1; }
__global__ void second(int *a, int n) {
  for (int i = 0; i < n; ++i)
    a[threadIdx.x * n + i] = i;
}
