// heddle opt --assume whole-program -d "coarsen x=2"

struct S { __device__ virtual int f(int i) const { return i; } };
__global__ void k(int *a) { S s; a[s.f(threadIdx.x)] = 1; }
int main() { k<<<1, 64>>>(nullptr); }
