// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (kind[i]) {
  case 0: a[i] = 1.0f; break;
  case 1: break;
  case 2: a[i] = 2.0f; break;
  default: break;
  }
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
