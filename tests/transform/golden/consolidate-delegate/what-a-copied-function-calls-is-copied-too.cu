// heddle opt --assume whole-program -k k -d "consolidate remap=off delegate=on"

__device__ int inner(int i) { return i + blockIdx.x; }
__device__ int outer(int i) { return inner(i) * 2; }
__global__ void other(int *a) { a[threadIdx.x] = outer(threadIdx.x); }
__global__ void k(int *a) { a[blockIdx.x * 32 + threadIdx.x] = outer(threadIdx.x); }
void run(int *a) {
  other<<<1, 32>>>(a);
  k<<<64, 32>>>(a);
}
