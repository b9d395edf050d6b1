// heddle opt --assume whole-program -d "coarsen y=2"

struct S { int v; __device__ S(int a) : v(a + threadIdx.x) {} };
template <class... T> __device__ int sum(T... t) { return (S(t).v + ...); }
__global__ void k(int *a, int n) {
  int v = sum(n, 2, 3);
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, dim3(32, 2)>>>(nullptr, 3); }
