// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  const int t = threadIdx.x;
  float u = b[t];
  __syncthreads();
  a[threadIdx.x] = u;
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
