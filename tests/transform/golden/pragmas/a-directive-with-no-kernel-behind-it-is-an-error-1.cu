// heddle opt --assume whole-program

__global__ void a(int *p) { *p = 1; }
#pragma heddle coarsen x=2
