// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  float u;
  for (int j = 0; j < n; ++j) {
    if (j == 0) u = b[threadIdx.x];
    a[threadIdx.x + j * 64] = u;
    __syncthreads();
  }
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
