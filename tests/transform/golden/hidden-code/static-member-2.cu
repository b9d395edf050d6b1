// heddle opt --assume whole-program -d "coarsen y=2"

struct S { static __device__ int f(int b) { return b + threadIdx.x; } };
__global__ void k(int *a, int n) {
  int v = S::f(n);
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, dim3(32, 2)>>>(nullptr, 3); }
