// heddle opt --assume whole-program -d "coarsen x=2"

struct S { __device__ int me() const { return threadIdx.x; } };
__global__ void k(int *a) { S s; a[s.me()] = 1; }
