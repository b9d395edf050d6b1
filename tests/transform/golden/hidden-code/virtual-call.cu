// heddle opt --assume whole-program -d "coarsen x=2"
// heddle opt --assume whole-program -d "coarsen x=2 map=blocked"
// heddle opt --assume whole-program -d "regroup by=a[threadIdx.x]"

struct B { __device__ virtual int f() { return 1; } };
struct S : B { __device__ int f() override { return threadIdx.x; } };
__device__ int call(B &b) { return b.f(); }
__global__ void k(int *a, int n) {
  S s; int v = call(s);
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, 64>>>(nullptr, 3); }
