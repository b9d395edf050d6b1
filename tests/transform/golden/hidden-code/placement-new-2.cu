// heddle opt --assume whole-program -d "coarsen y=2"

inline __device__ void *operator new(unsigned long, void *p) { return p; }
inline __device__ void operator delete(void *, void *) {}
struct S { int v; __device__ S() : v(threadIdx.x) {} };
__global__ void k(int *a, int n) {
  alignas(S) char b[sizeof(S)]; S *s = new (b) S; int v = s->v;
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, dim3(32, 2)>>>(nullptr, 3); }
