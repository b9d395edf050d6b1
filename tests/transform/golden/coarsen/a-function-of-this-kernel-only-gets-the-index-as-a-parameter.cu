// heddle opt --assume whole-program -d "coarsen x=2"

static __device__ float at(const float *p) { return p[threadIdx.x]; }
__global__ void k(float *a, const float *b) { a[threadIdx.x] = at(b); }
