// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  const int tid = threadIdx.x;
  int i = int(blockIdx.x * 32u) + tid;
  for (; i < n; i += gridDim.x * 32u)
    a[i] = b[i];
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<(9) * 8, 32>>>(a, b, 7);
}
