// heddle opt --assume whole-program -d "coarsen x=2"

__device__ int wait(int n) { if (n) return 1; __syncthreads(); return 2; }
__global__ void k(float *a, int n) { int w = wait(n); a[threadIdx.x] = w; }
