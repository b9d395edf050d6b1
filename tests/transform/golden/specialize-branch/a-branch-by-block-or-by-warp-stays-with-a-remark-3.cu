// heddle opt --assume whole-program --remarks -d "specialize by=branch"

__global__ void k(float *a, const int *kind, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n > 3) a[i] = 1; else a[i] = 2;
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
