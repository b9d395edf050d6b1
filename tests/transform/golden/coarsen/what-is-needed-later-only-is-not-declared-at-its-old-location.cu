// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  // the element to the left
  const int left = i - 1;

  for (int j = 0; j < n; ++j) {
    __syncthreads();
    a[left] = 1.0f;
  }
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
