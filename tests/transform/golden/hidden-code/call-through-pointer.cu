// heddle opt --assume whole-program -d "coarsen x=2"
// heddle opt --assume whole-program -d "coarsen x=2 map=blocked"
// heddle opt --assume whole-program -d "regroup by=a[threadIdx.x]"

__device__ int f(int b) { return b + threadIdx.x; }
__device__ int g(int b) { return b; }
__global__ void k(int *a, int n) {
  int (*p)(int) = n > 2 ? f : g; int v = p(n);
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, 64>>>(nullptr, 3); }
