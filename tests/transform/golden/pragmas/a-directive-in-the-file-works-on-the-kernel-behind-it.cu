// heddle opt --assume whole-program

__global__ void a(int *p) { p[threadIdx.x] = 1; }
#pragma heddle coarsen x=2
__global__ void b(int *p) { p[threadIdx.x] = 2; }
