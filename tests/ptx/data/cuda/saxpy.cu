#include "prelude.h"
__global__ void saxpy(float *y, const float *__restrict__ x, float a, int n) {
  for (int i = CTAID * NTID + TID; i < n; i += NTID)
    y[i] = a * x[i] + y[i];
}
