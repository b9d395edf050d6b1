// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  if (kind[i] < 0) x = 1; else x = 2;
  switch (kind[i]) {
  case 0: for (int k = 0; k < n; ++k) x += a[k]; break;
  default: for (int k = 0; k < n; ++k) x *= a[k];
  }
  a[i] = x;
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
