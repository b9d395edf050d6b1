// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (kind[i]) {
  case 0: for (int j = 0; j < 9; ++j) a[i] += 1.0f; break;
  case 1: for (int j = 0; j < 7; ++j) a[i] *= 2.0f; break;
  }
}
void f(float *a, int *kind) { k<<<8, 64>>>(a, kind); }
