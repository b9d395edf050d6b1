// heddle opt --assume whole-program

#include "Inputs/load.h"
#pragma heddle coarsen x=2
__global__ void k(float *a) { a[threadIdx.x] = load(a); }
void f(float *a) { k<<<4, 64>>>(a); }
