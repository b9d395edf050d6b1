// heddle opt --assume whole-program -k k -d "coarsen x=2"

__device__ int me() { return threadIdx.x; }
__global__ void other(int *a) { a[me()] = 1; }
__global__ void k(int *a) { a[me()] = 2; }
