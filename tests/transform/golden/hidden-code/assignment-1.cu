// heddle opt --assume whole-program -d "coarsen x=2"
// heddle opt --assume whole-program -d "coarsen x=2 map=blocked"
// heddle opt --assume whole-program -d "regroup by=a[threadIdx.x]"

struct S { int v; __device__ S &operator=(int b) { v = b + threadIdx.x; return *this; } };
__global__ void k(int *a, int n) {
  S s; s = n; int v = s.v;
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, 64>>>(nullptr, 3); }
