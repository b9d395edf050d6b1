// heddle opt --assume whole-program -d "coarsen x=2"
// heddle opt --assume whole-program -d "coarsen x=2 map=blocked"
// heddle opt --assume whole-program -d "regroup by=a[threadIdx.x]"

inline __device__ void *operator new(unsigned long, void *p) { return p; }
inline __device__ void operator delete(void *, void *) {}
struct S { int v; __device__ S() : v(threadIdx.x) {} };
__global__ void k(int *a, int n) {
  alignas(S) char b[sizeof(S)]; S *s = new (b) S; int v = s->v;
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, 64>>>(nullptr, 3); }
