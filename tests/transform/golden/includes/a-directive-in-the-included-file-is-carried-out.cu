// heddle opt --assume whole-program

#include "Inputs/with-directive.h"
void f(float *a) { scale<<<4, 64>>>(a); }
