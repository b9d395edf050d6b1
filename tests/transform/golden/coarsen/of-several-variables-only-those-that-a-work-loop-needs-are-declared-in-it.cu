// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  const int t = threadIdx.x, i = blockIdx.x * 64 + t, left = i - 1;
  a[t] = 2.0f;
  __syncthreads();
  a[left] = 1.0f;
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
