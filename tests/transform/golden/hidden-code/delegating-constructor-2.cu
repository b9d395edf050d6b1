// heddle opt --assume whole-program -d "coarsen y=2"

struct S { int v; __device__ S(int a) : v(a + threadIdx.x) {} __device__ S() : S(2) {} };
__global__ void k(int *a, int n) {
  S s; int v = s.v;
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, dim3(32, 2)>>>(nullptr, 3); }
