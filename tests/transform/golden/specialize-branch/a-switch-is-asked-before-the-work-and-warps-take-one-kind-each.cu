// heddle opt --assume whole-program -d "specialize by=branch"

#include <cstdio>

__global__ void k(float *a, const int *kind, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return; // none
  float x = a[i];
  switch (kind[i]) {
  case 1:
    x = sqrtf(x);
    break;
  case 2:
  case 3: x = sinf(x); break;
  default: x = 0.0f;
  }
  a[i] = x;
}
void f(float *a, int *b) { k<<<8, 96>>>(a, b, 9); }
