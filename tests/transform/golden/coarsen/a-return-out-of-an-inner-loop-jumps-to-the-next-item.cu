// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  for (int i = threadIdx.x; i < n; ++i)
    if (b[i] > 0.0f) return;
  a[threadIdx.x] = 1.0f;
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
