// heddle opt --assume whole-program -d "coarsen x=2"

struct S { int *p; __device__ ~S() { atomicAdd(p, 1); } };
__global__ void k(int *a) { S s{a}; }
int main() { k<<<1, 64>>>(nullptr); }
