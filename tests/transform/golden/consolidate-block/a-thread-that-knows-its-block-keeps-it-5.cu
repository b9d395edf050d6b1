// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  int t = threadIdx.x;
  t += 1;
  a[blockIdx.x * blockDim.x + t] = 1;
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 256>>>(a, b, 7);
}
