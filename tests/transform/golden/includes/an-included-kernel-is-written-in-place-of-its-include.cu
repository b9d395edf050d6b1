// heddle opt --assume whole-program --remarks -d "coarsen x=2"

#include "Inputs/scale.h" // kernels
void f(float *a) { scale<<<4, 64>>>(a); }
