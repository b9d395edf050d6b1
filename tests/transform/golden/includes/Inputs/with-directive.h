#pragma heddle coarsen x=2
__global__ void scale(float *a) { a[threadIdx.x] *= 2.0f; }
