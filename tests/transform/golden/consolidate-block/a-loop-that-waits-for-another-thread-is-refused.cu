// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  volatile int *flag = a;
  if (threadIdx.x == 0)
    while (flag[40] == 0) {}
  a[threadIdx.x] = blockIdx.x;
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 64>>>(a, b, 7);
}
