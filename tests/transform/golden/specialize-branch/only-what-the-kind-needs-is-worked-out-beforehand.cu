// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float unused = a[i + 1], needed = a[i];
  int which = 0;
  if (needed > 0)
    which = kind[i];
  float more = a[i + 2];
  if (which == 3) { a[i] = unused; } else { a[i] = more; }
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
