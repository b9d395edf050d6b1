// heddle opt --assume whole-program -k scale -d "coarsen x=2"

/*
#include "Inputs/once.h"
*/
// -- includes-once.h, in place of its #include --
// -- once.h, in place of its #include --
__global__ void scale(float *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] *= 2.0f;
  }
}
// -- end of once.h --
// -- end of includes-once.h --
#include "Inputs/other.h"
const char *text = R"(
#include "Inputs/once.h"
)";
void f(float *a) { scale<<<4, 64 / 2>>>(a); }
