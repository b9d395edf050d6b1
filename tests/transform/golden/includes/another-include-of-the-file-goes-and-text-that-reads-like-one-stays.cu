// heddle opt --assume whole-program -k scale -d "coarsen x=2"

/*
#include "Inputs/once.h"
*/
#include "Inputs/includes-once.h"
#include "Inputs/other.h"
#include "Inputs/../Inputs/once.h"
const char *text = R"(
#include "Inputs/once.h"
)";
void f(float *a) { scale<<<4, 64>>>(a); }
