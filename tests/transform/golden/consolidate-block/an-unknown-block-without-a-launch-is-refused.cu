// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a) { a[threadIdx.x] = 1; __syncthreads(); }
