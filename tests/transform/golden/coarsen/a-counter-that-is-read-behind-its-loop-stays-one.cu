// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  int k = threadIdx.x;
  for (k = 0; k < n; k++) {
    a[threadIdx.x] += 1.0f;
    __syncthreads();
  }
  a[threadIdx.x] = float(k);
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
