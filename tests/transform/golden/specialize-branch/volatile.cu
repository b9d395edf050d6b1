// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float *v = a;
  if (kind[i]) v[i] = 1; else v[i] = 2;
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
