// heddle opt --assume whole-program -d "coarsen x=2"

#include "Inputs/other.h"
#include "Inputs/scale.h"
void f(float *a) { scale<<<4, 64>>>(a); }
