// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    while (a[i] > k)
      switch (kind[i + k]) {
      case 0: a[i] = 1; break;
      default: a[i] = 2;
      }
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
