// heddle opt --assume whole-program -d "coarsen x=2"

struct S { int v; __device__ S() { v = __nvvm_read_ptx_sreg_tid_x(); } };
__global__ void k(int *a) { S s; a[threadIdx.x] = s.v; }
int main() { k<<<1, 64>>>(nullptr); }
