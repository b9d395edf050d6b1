// heddle opt --assume whole-program -d "coarsen x=2"

#include "Inputs/once.h"
#include "Inputs/includes-once.h"
void f(float *a) { scale<<<4, 64>>>(a); }
