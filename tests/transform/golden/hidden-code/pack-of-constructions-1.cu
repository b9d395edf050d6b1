// heddle opt --assume whole-program -d "coarsen x=2"
// heddle opt --assume whole-program -d "coarsen x=2 map=blocked"
// heddle opt --assume whole-program -d "regroup by=a[threadIdx.x]"

struct S { int v; __device__ S(int a) : v(a + threadIdx.x) {} };
template <class... T> __device__ int sum(T... t) { return (S(t).v + ...); }
__global__ void k(int *a, int n) {
  int v = sum(n, 2, 3);
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, 64>>>(nullptr, 3); }
