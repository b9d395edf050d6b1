#include "prelude.h"
extern __shared__ float dynamic[];
__global__ void __launch_bounds__(256, 2) shared(float *p) {
  __shared__ float tile[16][17];
  __shared__ double other[32];
  tile[TID / 16][TID % 16] = p[TID];
  other[TID % 32] = dynamic[TID];
  BARRIER();
  p[TID] = tile[TID % 16][TID / 16] + float(other[31 - TID % 32]);
}
