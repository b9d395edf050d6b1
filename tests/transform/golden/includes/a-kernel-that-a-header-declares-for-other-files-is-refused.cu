// heddle opt -d "coarsen x=2"

#include "Inputs/declares.h"
__global__ void scale(float *a) { a[threadIdx.x] *= 2.0f; }
void f(float *a) { scale<<<4, 64>>>(a); }
