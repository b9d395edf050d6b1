// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  const int tid = threadIdx.x;
  int i = int(blockIdx.x * blockDim.x) + tid;
  for (; i < n; i += gridDim.x * blockDim.x)
    a[i] = b[i];
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 256>>>(a, b, 7);
}
