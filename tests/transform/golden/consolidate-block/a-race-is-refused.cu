// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  __shared__ int s[65];
  s[threadIdx.x] = n;
  a[threadIdx.x] = s[threadIdx.x + 1];
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 64>>>(a, b, 7);
}
