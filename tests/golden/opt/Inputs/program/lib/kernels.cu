#include "../inc/all.h"

// Declared in all.h, launched in app/kernels.cu.
__global__ void shift(float *a, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += by;
}

void scaleAll(float *a, float by, int n, int block) {
  scale<<<BLOCKS(n, block), block>>>(a, by, n);
}
