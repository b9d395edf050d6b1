// heddle opt --assume whole-program -d "coarsen x=2"

__device__ float wait(float x) { __syncthreads(); return x; }
__global__ void k(float *a) { a[threadIdx.x] = 2.0f * wait(1.0f); }
