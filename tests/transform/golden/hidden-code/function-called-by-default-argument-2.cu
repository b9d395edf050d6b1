// heddle opt --assume whole-program -d "coarsen y=2"

__device__ int me() { return threadIdx.x; }
__device__ int f(int a, int b = me()) { return a + b; }
__global__ void k(int *a, int n) {
  int v = f(n);
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, dim3(32, 2)>>>(nullptr, 3); }
