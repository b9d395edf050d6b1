// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned m = __ballot_sync(~0u, kind[i] > 0);
  if (kind[i] == 1)
    a[i] = 1.0f;
  else
    a[i] = a[i] * 2.0f;
  a[0] = m;
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
