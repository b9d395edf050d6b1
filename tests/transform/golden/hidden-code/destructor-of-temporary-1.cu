// heddle opt --assume whole-program -d "coarsen x=2"
// heddle opt --assume whole-program -d "coarsen x=2 map=blocked"
// heddle opt --assume whole-program -d "regroup by=a[threadIdx.x]"

struct S { int *p; __device__ ~S() { p[threadIdx.x] += 1; } __device__ int f() const { return 1; } };
__global__ void k(int *a, int n) {
  int v = S{a}.f();
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, 64>>>(nullptr, 3); }
