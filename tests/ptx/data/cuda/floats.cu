#include "prelude.h"
__global__ void floats(float *f, double *d, int *i, long long *l) {
  float x = f[TID];
  double y = d[TID];
  f[TID] = x * x / (x + 1) - x * 3.5f + float(y) + (x < y ? 1.f : -1.f) + __builtin_fabsf(x) + float(i[TID]);
  d[TID] = y * y / (y - 2) + double(x) + double(l[TID]) + __builtin_fabs(y);
  i[TID] = int(x) + int(y) + (x != x) + (y >= x);
  l[TID] = (long long)x + (long long)y + (unsigned long long)y;
}
