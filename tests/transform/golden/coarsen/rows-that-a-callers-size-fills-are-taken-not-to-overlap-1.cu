// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n)
    for (int j = i + 1; j < n; ++j) {
      a[i * 512 + j] = 1.0f;
      a[j * 512 + i] = 2.0f;
    }
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
