// heddle opt --assume whole-program -d "coarsen y=2"

struct B { int v; __device__ B(int a) : v(a + threadIdx.x) {} };
struct S : B { using B::B; };
__global__ void k(int *a, int n) {
  S s(n); int v = s.v;
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, dim3(32, 2)>>>(nullptr, 3); }
