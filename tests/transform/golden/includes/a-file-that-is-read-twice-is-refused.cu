// heddle opt --assume whole-program -k first -d "coarsen x=2"

#define TWICE_NAME first
#include "Inputs/twice.h"
#undef TWICE_NAME
#define TWICE_NAME second
#include "Inputs/twice.h"
void f(float *a) { first<<<4, 64>>>(a); second<<<4, 64>>>(a); }
