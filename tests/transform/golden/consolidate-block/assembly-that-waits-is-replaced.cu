// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = b[threadIdx.x];
  asm volatile("bar.sync 0;");
  a[threadIdx.x] = s[63 - threadIdx.x];
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 64>>>(a, b, 7);
}
