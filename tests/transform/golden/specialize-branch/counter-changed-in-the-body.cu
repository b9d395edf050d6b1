// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
  if (kind[i] == 1)
    a[i] = 1.0f;
  else
    a[i] = a[i] * 2.0f;
    i += 2;
  }
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
