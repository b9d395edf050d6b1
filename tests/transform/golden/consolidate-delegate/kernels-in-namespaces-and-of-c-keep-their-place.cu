// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

namespace inner {
static __global__ void k(int *a) { a[threadIdx.x] = blockIdx.x; }
}
extern "C" __global__ void c(int *a) { a[threadIdx.x] = blockIdx.x; }
void f(int *a) { inner::k<<<9, 32>>>(a); c<<<9, 32>>>(a); }
