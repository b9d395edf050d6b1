// heddle opt --assume whole-program -d "coarsen y=2"

struct B { int v; __device__ B() : v(threadIdx.x) {} };
struct S : B { int w = 1; };
__global__ void k(int *a, int n) {
  S s; int v = s.v + s.w;
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, dim3(32, 2)>>>(nullptr, 3); }
