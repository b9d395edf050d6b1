#include "prelude.h"
__global__ void warps(int *p) {
  int v = p[TID];
  for (int m = 16; m > 0; m /= 2)
    v += SHFL_XOR(v, m);
  p[TID] = v + BALLOT(v > 3);
}
