// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  if (kind[i]) x = __shfl_xor_sync(~0u, a[i], 1); else x = 2;
  a[i] = x;
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
