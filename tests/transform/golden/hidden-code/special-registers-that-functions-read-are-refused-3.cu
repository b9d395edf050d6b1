// heddle opt --assume whole-program -d "coarsen x=2"

struct S { int v; __device__ S() { asm("mov.u32 %0, %%laneid;" : "=r"(v)); } };
__global__ void k(int *a) { S s; a[threadIdx.x] = s.v; }
int main() { k<<<1, 64>>>(nullptr); }
