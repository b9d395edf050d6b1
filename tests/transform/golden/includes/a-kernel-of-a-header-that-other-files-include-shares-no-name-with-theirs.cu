// heddle opt -d "coarsen x=2"

#include "Inputs/template.h"
void f(float *a) { scale<<<4, 64>>>(a); }
