// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  int t = threadIdx.x;
  a[blockIdx.x * blockDim.x + t] = t;
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 256>>>(a, b, 7);
}
