// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  int k;
  k = threadIdx.x + 1;
  a[k] = 1.0f;
  for (k = 0; k < n; k++) {
    a[threadIdx.x + 1] += b[k];
    __syncthreads();
  }
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
