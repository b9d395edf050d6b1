// heddle opt --assume whole-program -d "coarsen x=2"
// heddle opt --assume whole-program -d "coarsen x=2 map=blocked"
// heddle opt --assume whole-program -d "regroup by=a[threadIdx.x]"

struct M { int *p; __device__ ~M() { p[threadIdx.x] += 1; } };
struct S { M m; };
__global__ void k(int *a, int n) {
  S s{{a}}; int v = n;
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, 64>>>(nullptr, 3); }
