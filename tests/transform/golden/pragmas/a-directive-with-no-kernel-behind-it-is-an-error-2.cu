// heddle opt --assume whole-program

__global__ void a(int *p) {
#pragma heddle coarsen x=2
 *p = 1; }
