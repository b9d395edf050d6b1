// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__device__ int lane() { return threadIdx.x % 64; }
__global__ void k(int *a, const int *b, int n) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = lane();
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 256>>>(a, b, 7);
}
