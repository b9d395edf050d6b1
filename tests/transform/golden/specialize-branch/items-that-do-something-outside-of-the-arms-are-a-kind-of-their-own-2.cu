// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  switch (kind[i]) {
  case 0: x = a[i]; break;
  case 1: x = a[i + 1]; break;
  }
  a[i] = x;
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
